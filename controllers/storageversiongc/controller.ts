import { defineController } from "../../pkg/controller/kit.ts";
import { storageVersionContext } from "./context.ts";
import { goneServers, versionsOfUnknownServers } from "./handlers.ts";
import { forgetServer } from "./sync-lease.ts";
import { syncStorageVersion } from "./sync.ts";

/** Takes what API servers that are gone have reported out of StorageVersions, and removes those that nobody reports. */
export const storageVersionCollector = defineController(
  {
    name: "storageversion-garbage-collector-controller",
    clientName: "storage-version-garbage-collector",
    featureGates: ["APIServerIdentity", "StorageVersionAPI"],
  },
  (kit) => {
    const context = storageVersionContext(kit);
    const { leases, versions } = context;
    kit.ownerQueue({
      name: "storage_version_garbage_collector_storageversions",
      workers: 1,
      owners: versions,
      wakes: versionsOfUnknownServers(context),
      sync: async (sync) => syncStorageVersion(sync, context),
    });
    const servers = kit.queue({
      name: "storage_version_garbage_collector_leases",
      workers: 1,
      sync: async (sync) => forgetServer(sync, context),
    });
    leases.wakes(servers, goneServers);
  },
);
