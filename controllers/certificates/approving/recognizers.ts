import {
  decisionOn,
  kubeletClientProblem,
  type RequestedCertificate,
  signerNames,
} from "../../../pkg/api/certificate-requests.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";

/** A sort of requests that are approved for whoever may create this subresource of them. */
export interface Recognizer {
  readonly subresource: string;
  readonly message: string;
  readonly recognizes: (spec: CertificateSigningRequest["spec"], request: RequestedCertificate) => boolean;
}

/** In the order in which they are tried. upstream: approver/sarapprove.go#recognizers */
export const recognizers: readonly Recognizer[] = [
  {
    subresource: "selfnodeclient",
    message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
    recognizes: isSelfNodeClient,
  },
  {
    subresource: "nodeclient",
    message: "Auto approving kubelet client certificate after SubjectAccessReview.",
    recognizes: isNodeClient,
  },
];

/** Whether it may be one that is approved here: nobody has decided on it, and it is for the one signer that counts. */
export function isUndecided({ spec, status }: Pick<CertificateSigningRequest, "spec" | "status">): boolean {
  const { certificate = "", conditions } = status ?? {};
  const { approved, denied } = decisionOn(conditions);
  return certificate === "" && !approved && !denied && spec.signerName === signerNames.kubeletClient;
}

/** A node asks for a certificate, be it for itself or not. */
export function isNodeClient(
  { signerName, usages = [] }: CertificateSigningRequest["spec"],
  request: RequestedCertificate,
): boolean {
  return signerName === signerNames.kubeletClient && kubeletClientProblem(request, usages) === undefined;
}

/** The one who asks is the one whom the certificate is to name. */
export function isSelfNodeClient(
  spec: CertificateSigningRequest["spec"],
  request: RequestedCertificate,
): boolean {
  return (spec.username ?? "") === request.commonName && isNodeClient(spec, request);
}
