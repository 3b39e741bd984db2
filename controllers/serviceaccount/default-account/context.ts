import type { Projected } from "../../../pkg/api/projected.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Namespace } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";

/** What is read of namespaces. */
const NAMESPACE_FIELDS = ["status.phase"] as const;
export type CachedNamespace = Projected<Namespace, typeof NAMESPACE_FIELDS>;

/** All that a sync of a namespace works with. */
export type AccountContext = ReturnType<typeof accountContext>;

export function accountContext(kit: Kit) {
  return {
    namespaces: kit.reads(resources.namespaces, { fields: NAMESPACE_FIELDS, resyncMs: 0 }),
    accounts: kit.reads(resources.serviceAccounts, { fields: [], resyncMs: 0 }),
    client: kit.env.client.clientFor(resources.serviceAccounts),
  };
}
