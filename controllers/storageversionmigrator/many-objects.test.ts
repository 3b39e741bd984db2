import { expect, test } from "vitest";
import { cacheOf } from "../../test/harness/lister-of.ts";
import { stored } from "../../test/harness/stored.ts";
import { ownerSyncOf } from "../../test/harness/sync-of.ts";
import { longestTurnMs } from "../../test/load/longest-turn.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StoredObject } from "../../pkg/api/object.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { controllerCheck } from "../../pkg/manager/health/controller-health.ts";
import type { MigratorContext } from "./context.ts";
import type { Migration } from "./migration.ts";
import { createMaps, migrate, NAME, openWorld, start, statesOf, world } from "./migrations.test-data.ts";
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

test("it is healthy in the middle of hours of work, as long as the server answers", async () => {
  await openWorld();
  try {
    await createMaps(...Array.from({ length: 100 }, (_, index) => `map-${index}`));
    const { health } = await startWithHealth();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "configmaps" },
      action: { kind: "latency", ms: 50_000 },
    });
    await migrate("m");
    const found = new Set<string | undefined>();
    for (let minute = 0; minute < 60; minute++) {
      await world.run(60_000);
      found.add(health.check());
    }
    expect(await statesOf("m")).toBe("Running");
    expect(found).toEqual(new Set([undefined]));
    await world.run(3_600_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  } finally {
    await world.stop();
  }
});

async function startWithHealth() {
  const set = await start();
  const { clock } = world;
  return {
    health: controllerCheck({ name: NAME, health: () => set.health().get(NAME), clock, maxSyncMs: 600_000 }),
  };
}
