import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { resources } from "../api/resources.ts";
import type { ConfigMap } from "../api/types/core-v1.gen.ts";
import { internal } from "../apiserver/server/status-error.ts";
import { defineController } from "./kit.ts";
import { finalizerChange, protect, unprotected } from "./protection.ts";

const FINALIZER = "example.com/protection";
const deletionTimestamp = "2026-11-19T08:00:00Z";

// upstream: pkg/controller/util/protectionutil/utils_test.go#TestIsDeletionCandidate, TestNeedToAddFinalizer
test.each([
  ["that lacks both comes by the finalizer", {}, "add"],
  ["of other finalizers comes by it", { finalizers: ["other"] }, "add"],
  ["that has the finalizer keeps it", { finalizers: ["other", FINALIZER] }, undefined],
  ["that is being deleted without it gets none", { deletionTimestamp }, undefined],
  ["that is being deleted with others gets none", { deletionTimestamp, finalizers: ["other"] }, undefined],
  ["that is being deleted may lose it", { deletionTimestamp, finalizers: [FINALIZER] }, "remove"],
])("an object %s", (_, metadata, expected) => {
  expect(finalizerChange({ metadata }, FINALIZER)).toBe(expected);
});

describe("protected objects", () => {
  let world: ControllerWorld;
  let isUsed: boolean;
  const protection = defineController({ name: "protection" }, (kit) => {
    const maps = kit.reads(resources.configMaps);
    const writes = kit.writes(resources.configMaps);
    kit.ownerQueue({
      name: "protection",
      workers: 1,
      owners: maps,
      wakes: unprotected(FINALIZER),
      sync: async (sync) =>
        protect(sync, {
          finalizer: FINALIZER,
          writes,
          stays: () => (isUsed ? { requeueAfterMs: 5_000 } : undefined),
        }),
    });
  });

  beforeEach(async () => {
    world = await newWorld();
    isUsed = false;
  });
  afterEach(async () => world.stop());

  const create = async (finalizers: readonly string[] = []): Promise<unknown> =>
    world.create<ConfigMap>(resources.configMaps, { metadata: { name: "a", finalizers }, data: { a: "b" } });

  test("come by the finalizer beside what they have", async () => {
    await create(["example.com/other"]);
    await world.start(protection());
    const { metadata, data } = await world.get<ConfigMap>(resources.configMaps, "a");
    expect([metadata.finalizers, data]).toEqual([["example.com/other", FINALIZER], { a: "b" }]);
    expect(world.takeWrites().map(lineOf)).toEqual(["update configmaps a"]);
    await world.run(60_000);
    expect(world.takeWrites()).toEqual([]);
  });

  test("go when they are deleted, and not while they are used", async () => {
    await create([FINALIZER, "example.com/other", FINALIZER]);
    isUsed = true;
    await world.start(protection());
    await world.delete(resources.configMaps, "a");
    await world.run(20_000);
    expect(world.takeWrites()).toEqual([]);
    isUsed = false;
    await world.run(5_000);
    expect((await world.get(resources.configMaps, "a")).metadata.finalizers).toEqual(["example.com/other"]);
    expect(world.takeWrites().map(lineOf)).toEqual(["update configmaps a"]);
  });

  test("are written again when somebody was quicker, which is no failure", async () => {
    await create();
    world.server.parts.faults.add({
      target: { verb: "update", resource: "configmaps" },
      action: {
        kind: "interfere",
        run: async () => {
          const body = { data: { a: "c" } };
          const maps = world.client.clientFor(resources.configMaps);
          await maps.patch({ namespace: "default", name: "a" }, { type: "merge", body });
        },
      },
      times: 1,
    });
    const set = await world.start(protection());
    const { metadata, data } = await world.get<ConfigMap>(resources.configMaps, "a");
    expect([metadata.finalizers, data]).toEqual([[FINALIZER], { a: "c" }]);
    const page = set.debug("protection", "/", new URLSearchParams())?.body ?? "";
    expect(page).toContain("again after a delay that grows");
    expect(page).not.toContain("failed");
  });

  test("are tried again when the server fails", async () => {
    await create();
    const repair = world.server.parts.faults.add({
      target: { verb: "update", resource: "configmaps" },
      action: { kind: "status", when: "before", error: internal("down") },
    });
    const set = await world.start(protection());
    expect(set.debug("protection", "/", new URLSearchParams())?.body).toContain("failed: ");
    repair();
    await world.run(30_000);
    expect((await world.get(resources.configMaps, "a")).metadata.finalizers).toEqual([FINALIZER]);
  });

  test("that were replaced under their name meanwhile are not written for what went", async () => {
    await create(["example.com/other"]);
    world.server.parts.faults.add({
      target: { verb: "update", resource: "configmaps" },
      action: {
        kind: "interfere",
        run: async () => {
          await world.delete(resources.configMaps, "a");
          const maps = world.client.clientFor(resources.configMaps);
          const body = { metadata: { finalizers: null } };
          await maps.patch({ namespace: "default", name: "a" }, { type: "merge", body });
          await create([FINALIZER]);
        },
      },
      times: 1,
    });
    await world.start(protection());
    expect((await world.get(resources.configMaps, "a")).metadata.finalizers).toEqual([FINALIZER]);
  });
});
