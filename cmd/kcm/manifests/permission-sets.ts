import type { PolicyRule } from "../../../pkg/api/types/rbac-v1.gen.ts";

export interface Permission {
  readonly group: string;
  readonly resource: string;
  /** All objects when left out. */
  readonly names?: readonly string[];
}

/** Into what the server of the webhooks puts its certificate authority, besides the definitions. */
export const CERTIFICATE_TARGETS: readonly Permission[] = [
  { group: "admissionregistration.k8s.io", resource: "mutatingwebhookconfigurations" },
  { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" },
];

/** In the namespace of the operator: its Lease, and the certificates of its webhooks. */
export function ownNamespaceRules(hasWebhooks: boolean): readonly PolicyRule[] {
  const verbs = ["get", "create", "update"];
  return [
    {
      apiGroups: ["coordination.k8s.io"],
      resources: ["leases"],
      verbs: ["get", "list", "watch", "create", "update", "patch"],
    },
    ...(hasWebhooks ? [{ apiGroups: [""], resources: ["secrets"], verbs }] : []),
  ];
}
