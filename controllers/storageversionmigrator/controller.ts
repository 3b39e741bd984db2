import { ApiError } from "../../pkg/client/errors.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { BY_RESOURCE, migratorContext } from "./context.ts";
import { itsResource } from "./handlers.ts";
import { syncMigration } from "./sync-migration.ts";
import { syncTurns } from "./sync-turns.ts";
import { syncVersion } from "./sync-version.ts";

export interface MigratorSettings {
  readonly collectsGarbage: boolean;
}

const NAME = "storage-version-migrator-controller";

/** Has the API server write objects anew, so that none is stored in an older version any more. */
const define = defineController(
  {
    name: NAME,
    // Every object is a request.
    clientRate: { qpsFactor: 20, burstFactor: 100 },
    featureGates: ["StorageVersionMigrator", "InformerResourceVersion"],
  },
  (kit) => {
    const context = migratorContext(kit);
    const { migrations, left } = context;
    kit.ownerQueue({
      name: NAME,
      workers: 5,
      owners: migrations,
      remembers: [left],
      judge: asTheServerAsks,
      sync: async (sync) => syncMigration(sync, context),
    });
    // Upstream has two queues of that name.
    const name = "resource-version-controller";
    kit.ownerQueue({
      name,
      label: `${name} (versions)`,
      workers: 1,
      owners: migrations,
      sync: async (sync) => syncVersion(sync, context),
    });
    const turns = kit.queue({
      name,
      label: `${name} (turns)`,
      workers: 1,
      gate: {
        waitMs: (key) => {
          const waits = migrations.lister
            .byIndex(BY_RESOURCE, key)
            .map(({ metadata }) => kit.consistency.waitMs(metadata.name));
          return waits.find((waitMs) => waitMs !== undefined);
        },
      },
      sync: async (sync) => syncTurns(sync, context),
    });
    migrations.wakes(turns, itsResource);
  },
);

/** `collectsGarbage`: as upstream, it does not run where garbage is not collected. */
export function storageVersionMigrator({ collectsGarbage }: MigratorSettings): ControllerDescriptor {
  return {
    ...define(),
    checkSettings: () => {
      if (!collectsGarbage) throw new Error("storage version migrator requires garbage collector");
    },
  };
}

/** A server that names a time is not asked before. */
function asTheServerAsks(_key: string, error: unknown): { readonly notBeforeMs: number } | undefined {
  const notBeforeMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
  return notBeforeMs > 0 ? { notBeforeMs } : undefined;
}
