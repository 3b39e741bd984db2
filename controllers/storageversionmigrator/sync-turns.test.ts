import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { CustomResourceDefinition } from "../../pkg/api/types/apiextensions-v1.gen.ts";
import { forbidden, internal } from "../../pkg/apiserver/server/status-error.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { storageVersionMigrator } from "./controller.ts";
import {
  NAME,
  RUNNING,
  STATUS,
  WIDGETS,
  condition,
  createMaps,
  createWidgets,
  define,
  definition,
  keepMigration,
  linesOf,
  migrate,
  openWorld,
  refuse,
  start,
  statesOf,
  storeAs,
  storeIn,
  storedAs,
  widgets,
  world,
} from "./migrations.test-data.ts";

const { customResourceDefinitions, storageVersionMigrations } = resources;
const { main: metrics } = createMetrics({ version: "1.36.4" });

beforeEach(async () => openWorld());
afterEach(async () => world.stop());

describe("migrations of one resource", () => {
  // upstream: migrationrunner_test.go#TestCustomResourceController_Sync
  test("run one after the other, the oldest first", async () => {
    await createMaps("a");
    keepMigration("newer", { agoMs: 1_000 });
    keepMigration("oldest", { agoMs: 9_000 });
    keepMigration("other", { resource: { group: "", resource: "namespaces" } });
    keepMigration("older", { agoMs: 5_000 });
    const begun: string[] = [];
    world.server.parts.faults.add({
      target: { verb: "update", resource: "storageversionmigrations", subresource: "status" },
      action: {
        kind: "interfere",
        run: async () => {
          const all = await world.list(storageVersionMigrations);
          const running = all.filter(
            ({ spec, status }) =>
              spec?.resource.resource === "configmaps" &&
              status?.conditions?.some(({ type, status: value }) => type === "Running" && value === "True"),
          );
          expect(running.length).toBeLessThan(2);
          begun.push(...running.map(({ metadata }) => metadata.name ?? ""));
        },
      },
    });
    await start();
    await world.run(10_000);
    expect([...new Set(begun)]).toEqual(["oldest", "older", "newer"]);
    for (const name of ["oldest", "older", "newer", "other"])
      expect(await statesOf(name)).toBe("not Running, Succeeded");
  });

  test("the next one begins when the one that runs is deleted", async () => {
    keepMigration("a", { agoMs: 5_000, status: { conditions: RUNNING() } });
    keepMigration("b");
    const repair = refuse(internal("no"), { verb: "list", resource: "configmaps" });
    await start();
    expect(await statesOf("b")).toBe("");
    await world.delete(storageVersionMigrations, "a");
    await world.run();
    expect(await statesOf("b")).toBe("Running");
    repair();
  });

  test("one that is stopped by hand does not hold up the others", async () => {
    keepMigration("a", { agoMs: 5_000, status: { conditions: [condition("Running", "False")] } });
    keepMigration("b");
    await start();
    expect([await statesOf("a"), await statesOf("b")]).toEqual(["not Running", "not Running, Succeeded"]);
  });

  test("what was written is waited for, so that nothing is ended twice", async () => {
    const ended = { conditions: [...RUNNING(), condition("Succeeded")] };
    keepMigration("ended", { agoMs: 5_000, status: ended });
    keepMigration("next");
    const target = { verb: "update", resource: "storageversionmigrations", subresource: "status" };
    let show = (): void => undefined;
    const hide = (): void => {
      show = world.server.parts.faults.holdWatches({ resource: "storageversionmigrations" });
    };
    world.server.parts.faults.add({
      target: { ...target, name: "ended" },
      action: { kind: "interfere", run: hide },
      times: 1,
    });
    refuse(internal("not now"), { ...target, name: "next" }, 1);
    await start();
    await world.run(5_000);
    expect(linesOf()).toEqual([`${STATUS} ended`, `${STATUS} next`]);
    show();
    await world.run(10_000);
    expect(await statesOf("next")).toBe("not Running, Succeeded");
  });
});

describe("custom resources", () => {
  // upstream: test/integration/storageversionmigrator/storageversionmigrator_test.go#TestStorageVersionMigrationWithCRD
  test("are stored in the new version, and their definition knows no other any more", async () => {
    await define("v1");
    await createWidgets("a", "b");
    await storeAs("v2");
    await createWidgets("c");
    expect(["a", "b", "c"].map(storedAs)).toEqual(["example.com/v1", "example.com/v1", "example.com/v2"]);
    expect((await definition()).status?.storedVersions).toEqual(["v1", "v2"]);
    const before = (await world.client.dynamic(widgets).get({ namespace: "default", name: "c" })).metadata;
    await start();
    await migrate("m", WIDGETS);
    await world.run(100);
    await world.run(10_000);
    expect(["a", "b", "c"].map(storedAs)).toEqual(Array.from({ length: 3 }, () => "example.com/v2"));
    const after = (await world.client.dynamic(widgets).get({ namespace: "default", name: "c" })).metadata;
    expect(after).toEqual(before);
    const { status, metadata } = await definition();
    expect(status?.storedVersions).toEqual(["v2"]);
    expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")).toMatchObject({
      status: "False",
      reason: "MigrationSucceeded",
      observedGeneration: metadata.generation,
    });
  });

  test("their definition is told under the name that upstream has, in the version that was read", async () => {
    await define();
    await start();
    await migrate("m", WIDGETS);
    await world.run(10_000);
    const told = world.takeWrites().filter(({ resource }) => resource === "customresourcedefinitions/status");
    expect(told.map(({ verb, name }) => `${verb} ${name}`)).toEqual(
      Array.from({ length: 2 }, () => "patch widgets.example.com"),
    );
    const bodies = told.map(({ body }) => body as ApiObject & { status: CustomResourceDefinition["status"] });
    expect(bodies.map(({ metadata }) => Object.keys(metadata).toSorted())).toEqual(
      Array.from({ length: 2 }, () => ["name", "resourceVersion", "uid"]),
    );
    expect(bodies[0]?.status).toMatchObject({
      conditions: [{ type: "StorageMigrating", status: "True", message: "Migration m is running" }],
    });
    const { managedFields = [] } = (await definition()).metadata as {
      managedFields?: readonly { manager?: string }[];
    };
    expect(managedFields.map(({ manager }) => manager)).toContain("migration-runner-controller");
  });

  test("their definition never lacks the versions that are stored, whichever migration it is", async () => {
    await define("v1");
    await createWidgets("a");
    await storeAs("v2");
    const seen: string[] = [];
    world.server.parts.faults.add({
      target: { verb: "update", resource: "storageversionmigrations", subresource: "status" },
      action: {
        kind: "interfere",
        run: async () => void seen.push(String((await definition()).status?.storedVersions)),
      },
    });
    await start();
    for (const name of ["m", "n", "o"]) {
      await migrate(name, WIDGETS);
      await world.run(10_000);
      expect(await statesOf(name)).toBe("not Running, Succeeded");
    }
    expect(new Set(seen)).toEqual(new Set(["v1,v2", "v2"]));
  });

  test("their definition keeps the versions when the migration fails, or it has changed meanwhile", async () => {
    await define("v1");
    await createWidgets("a");
    await storeAs("v2");
    await start();
    const repair = refuse(forbidden(widgets, "a", "no"), { verb: "patch", resource: "widgets" });
    await migrate("failing", WIDGETS);
    await world.run(10_000);
    expect((await definition()).status?.storedVersions).toEqual(["v1", "v2"]);
    repair();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "widgets" },
      action: { kind: "interfere", run: async () => storeIn("v1") },
      times: 1,
    });
    await migrate("changing", WIDGETS);
    await world.run(10_000);
    expect(await statesOf("changing")).toBe("not Running, Succeeded");
    const { status } = await definition();
    expect(status?.storedVersions).toEqual(["v1", "v2"]);
    expect(status?.conditions?.find(({ type }) => type === "StorageMigrating")?.message).toBe(
      "The migration has succeeded but the stored versions have not been updated due to a generation mismatch",
    );
  });

  test("their definition is read anew when somebody is quicker, and nothing has failed", async () => {
    await define();
    const set = await start();
    world.server.parts.faults.add({
      target: { verb: "patch", resource: "customresourcedefinitions", subresource: "status" },
      action: {
        kind: "interfere",
        run: async () => {
          await world.update(customResourceDefinitions, "widgets.example.com", (found) => ({
            ...found,
            metadata: { ...found.metadata, labels: { at: String(world.clock.nowMs()) } },
          }));
        },
      },
      times: 3,
    });
    await migrate("m", WIDGETS);
    await world.run(10_000);
    const told = world.takeWrites().filter(({ resource }) => resource === "customresourcedefinitions/status");
    expect(told.map(({ status }) => status)).toEqual([409, 409, 409, 200, 200]);
    expect(set.debug(NAME, "/", new URLSearchParams())?.body).not.toContain("failed");
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });

  test("begin when their definition has been told, and not before", async () => {
    await define();
    await start();
    const repair = refuse(internal("no"), { verb: "get", resource: "customresourcedefinitions" });
    await migrate("m", WIDGETS);
    await world.run(10_000);
    expect([await statesOf("m"), linesOf()]).toEqual(["", []]);
    repair();
    await world.run(60_000);
    expect(await statesOf("m")).toBe("not Running, Succeeded");
  });
});

test("queues have the names that upstream's have, and workers of their own", async () => {
  await world.stop();
  metrics.reset();
  await openWorld({ metrics });
  const health = await start();
  expect(Object.keys(health.health().get(NAME)?.pools ?? {})).toEqual([
    NAME,
    "resource-version-controller (versions)",
    "resource-version-controller (turns)",
  ]);
  const text = await metrics.expose();
  for (const name of [NAME, "resource-version-controller"])
    expect(text).toContain(`workqueue_depth{name="${name}"}`);
});

test("it does not run where garbage is not collected", () => {
  expect(storageVersionMigrator({ collectsGarbage: false }).checkSettings).toThrow(
    "storage version migrator requires garbage collector",
  );
  expect(storageVersionMigrator({ collectsGarbage: true }).checkSettings).not.toThrow();
});
