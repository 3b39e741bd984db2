import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { resourceKeyOf } from "./migration.ts";
import type { ObjectsLeft } from "./objects-left.ts";
import { ServedResources } from "./sync-discovery.ts";

/** Migrations by what they migrate. */
export const BY_RESOURCE = "resource";

/** All that a sync works with. */
export type MigratorContext = ReturnType<typeof migratorContext>;

export function migratorContext(kit: Kit) {
  const { client, clock } = kit.env;
  const migrations = kit.reads(resources.storageVersionMigrations);
  migrations.addIndex(BY_RESOURCE, (migration) => [resourceKeyOf(migration)]);
  return {
    migrations,
    writes: kit.writes(resources.storageVersionMigrations),
    definitionClient: client.clientFor(resources.customResourceDefinitions),
    client,
    served: new ServedResources(client.discovery, clock),
    /** What of a migration is still to be written, when something came in between. */
    left: new PerOwner<ObjectsLeft>(),
    clock,
  };
}
