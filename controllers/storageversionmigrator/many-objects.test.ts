import { expect, test } from "vitest";
import { cacheOf } from "../../test/harness/lister-of.ts";
import { stored } from "../../test/harness/stored.ts";
import { ownerSyncOf } from "../../test/harness/sync-of.ts";
import { longestTurnMs } from "../../test/load/longest-turn.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StoredObject } from "../../pkg/api/object.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { MigratorContext } from "./context.ts";
import type { Migration } from "./migration.ts";
import { syncMigration } from "./sync-migration.ts";

const MOST_MS = 50;
const COUNT = 1_000_000;

const migration = stored<Migration>({
  metadata: { name: "m", resourceVersion: "10000000" },
  spec: { resource: { group: "", resource: "configmaps" } },
  status: { resourceVersion: "10000000" },
});

test("others have their turns while a million objects are written anew", async () => {
  let written = 0;
  const objects = {
    // An answer that is there at once leaves the loop no turn.
    listEach: async (_: unknown, take: (object: StoredObject) => void) => {
      for (let index = 0; index < COUNT; index++) {
        take(
          stored({
            metadata: { name: `map-${index}`, namespace: "default", resourceVersion: `${index + 1}` },
          }),
        );
        if (index % 500 === 499) await realClock.turn();
      }
      return { resourceVersion: "10000000" };
    },
    apply: async () => void written++,
  };
  let status: Migration["status"];
  const context = {
    migrations: cacheOf(resources.storageVersionMigrations, [migration]),
    served: { find: async () => resources.configMaps },
    client: { metadata: () => objects },
    writes: { updateStatus: async (_: unknown, ended: Migration) => ((status = ended.status), ended) },
    left: new PerOwner(),
    clock: realClock,
  } as unknown as MigratorContext;
  const longestMs = await longestTurnMs(async () => syncMigration(ownerSyncOf(migration), context));
  expect(status?.conditions).toMatchObject([{ type: "Succeeded", status: "True" }]);
  expect(written).toBe(COUNT);
  expect(longestMs).toBeLessThan(MOST_MS);
});
