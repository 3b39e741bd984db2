import type { CertificateSigningRequest } from "./types/certificates-v1.gen.ts";

/** The signers of Kubernetes itself. */
export const signerNames = {
  apiServerClient: "kubernetes.io/kube-apiserver-client",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  kubeletServing: "kubernetes.io/kubelet-serving",
  legacyUnknown: "kubernetes.io/legacy-unknown",
} as const;

export type SignerName = (typeof signerNames)[keyof typeof signerNames];

/** What an X.509 request asks for, as far as signers mind. */
export interface RequestedCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  readonly ipAddresses: readonly unknown[];
  readonly uris: readonly string[];
}

const NODE_PREFIX = "system:node:";
const NODE_GROUP = "system:nodes";

const OTHER_ORGANIZATION = "subject organization is not system:nodes";
const OTHER_NAME = "subject common name does not begin with system:node:";

/**
 * Why it is no request for the certificate by which a kubelet is known to the API server; undefined when it is one.
 * upstream: pkg/apis/certificates/helpers.go#ValidateKubeletClientCSR
 */
export function kubeletClientProblem(
  request: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(request)) return OTHER_ORGANIZATION;
  if (request.dnsNames.length > 0) return "DNS subjectAltNames are not allowed";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.ipAddresses.length > 0) return "IP subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (!request.commonName.startsWith(NODE_PREFIX)) return OTHER_NAME;
  return usagesProblem(usages, "client auth");
}

/**
 * Why it is no request for the certificate that a kubelet serves with; undefined when it is one.
 * upstream: pkg/apis/certificates/helpers.go#ValidateKubeletServingCSR
 */
export function kubeletServingProblem(
  request: RequestedCertificate,
  usages: readonly string[],
): string | undefined {
  if (!isOfNodes(request)) return OTHER_ORGANIZATION;
  if (request.dnsNames.length + request.ipAddresses.length === 0)
    return "DNS or IP subjectAltName is required";
  if (request.emailAddresses.length > 0) return "Email subjectAltNames are not allowed";
  if (request.uris.length > 0) return "URI subjectAltNames are not allowed";
  const problem = usagesProblem(usages, "server auth");
  if (problem !== undefined) return problem;
  return request.commonName.startsWith(NODE_PREFIX) ? undefined : OTHER_NAME;
}

function isOfNodes({ organizations }: RequestedCertificate): boolean {
  return organizations.length === 1 && organizations[0] === NODE_GROUP;
}

/** Keys that are not RSA need no encipherment. */
function usagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const given = new Set(usages);
  const needed = ["digital signature", purpose];
  const others = [...given].filter((usage) => !needed.includes(usage) && usage !== "key encipherment");
  if (others.length === 0 && needed.every((usage) => given.has(usage))) return undefined;
  return `usages did not match [${[...needed, "key encipherment"].sort().join(" ")}]`;
}

type Conditions = NonNullable<CertificateSigningRequest["status"]>["conditions"];

/** Any condition of these types counts, whatever its status. upstream: GetCertApprovalCondition */
export function decisionOn(conditions: Conditions): { readonly approved: boolean; readonly denied: boolean } {
  const has = (type: string): boolean => conditions?.some((condition) => condition.type === type) === true;
  return { approved: has("Approved"), denied: has("Denied") };
}

/** upstream: pkg/controller/certificates/certificate_controller_utils.go#IsCertificateRequestApproved */
export function isApproved(conditions: Conditions): boolean {
  const { approved, denied } = decisionOn(conditions);
  return approved && !denied;
}

/** upstream: HasTrueCondition */
export function hasFailed(conditions: Conditions): boolean {
  return (
    conditions?.some(({ type, status }) => type === "Failed" && (status === "" || status === "True")) === true
  );
}
