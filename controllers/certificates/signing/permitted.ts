import {
  hasFailed,
  isApproved,
  kubeletClientProblem,
  kubeletServingProblem,
  type RequestedCertificate,
  type SignerName,
  signerNames,
} from "../../../pkg/api/certificate-requests.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";

/** Whether this signer has to answer it: approved, of its own, and with neither certificate nor failure. */
export function isToBeSigned(
  { spec, status }: Pick<CertificateSigningRequest, "spec" | "status">,
  signerName: SignerName,
): boolean {
  const { certificate = "", conditions } = status ?? {};
  return (
    spec.signerName === signerName && certificate === "" && isApproved(conditions) && !hasFailed(conditions)
  );
}

/** Why the signer does not sign such requests; undefined when it does. upstream: signer/signer.go#getCSRVerificationFuncForSignerName */
export function refusalOf(
  signerName: SignerName,
  request: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (signerName === signerNames.kubeletServing) return kubeletServingProblem(request, usages);
  if (signerName === signerNames.kubeletClient) return kubeletClientProblem(request, usages);
  // The one of old has no rules.
  return signerName === signerNames.apiServerClient ? clientUsagesProblem(usages) : undefined;
}

const CLIENT_USAGES: ReadonlySet<string> = new Set(["digital signature", "key encipherment", "client auth"]);

function clientUsagesProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !CLIENT_USAGES.has(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes("client auth")
    ? undefined
    : "missing required usage for client certificate: client auth";
}
