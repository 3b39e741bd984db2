import type { PartialObject } from "../../pkg/api/object.ts";

/** Where API servers keep the Leases that stand for them, under their ids. */
export const LEASE_NAMESPACE = "kube-system";
const COMPONENT_LABEL = "apiserver.kubernetes.io/identity";
const API_SERVER = "kube-apiserver";

/** Whether a Lease of that namespace is an API server's. There are others in it. */
export function isIdentityLease({ metadata: { labels } }: PartialObject): boolean {
  return labels?.[COMPONENT_LABEL] === API_SERVER;
}
