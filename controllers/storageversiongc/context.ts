import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { LEASE_NAMESPACE } from "./identity-lease.ts";
import { VERSION_FIELDS } from "./reports.ts";

/** All that a sync works with. */
export type StorageVersionContext = ReturnType<typeof storageVersionContext>;

export function storageVersionContext(kit: Kit) {
  const { client, clock } = kit.env;
  return {
    versions: kit.reads(resources.storageVersions, { fields: VERSION_FIELDS }),
    // Nodes renew theirs, in another namespace, all the time.
    leases: kit.reads(resources.leases, { fields: [], namespaces: [LEASE_NAMESPACE] }),
    leaseClient: client.clientFor(resources.leases),
    versionClient: client.clientFor(resources.storageVersions),
    writes: kit.writes(resources.storageVersions),
    clock,
  };
}
