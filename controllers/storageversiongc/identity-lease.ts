import type { PartialObject } from "../../pkg/api/object.ts";

/** Where API servers keep the Leases that stand for them, under their ids. */
export const LEASE_NAMESPACE = "kube-system";
const COMPONENT_LABEL = "apiserver.kubernetes.io/identity";
const API_SERVER = "kube-apiserver";

/** Whether the Lease is that of an API server. There are others of its name's kind. */
export function isIdentityLease({ metadata: { namespace, labels } }: PartialObject): boolean {
  return namespace === LEASE_NAMESPACE && labels?.[COMPONENT_LABEL] === API_SERVER;
}
