import { resources } from "../../../pkg/api/resources.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";

/** All that a sync of a namespace works with. */
export type AccountContext = ReturnType<typeof accountContext>;

export function accountContext(kit: Kit) {
  return {
    namespaces: kit.reads(resources.namespaces, { fields: ["status.phase"], resyncMs: 0 }),
    accounts: kit.reads(resources.serviceAccounts, { fields: [], resyncMs: 0 }),
    client: kit.env.client.clientFor(resources.serviceAccounts),
  };
}
