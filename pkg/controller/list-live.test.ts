import { afterEach, beforeEach, expect, test } from "vitest";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { resources } from "../api/resources.ts";
import type { ConfigMap } from "../api/types/core-v1.gen.ts";
import { internal } from "../apiserver/server/status-error.ts";
import type { Cache } from "./cache.ts";
import { defineController } from "./kit.ts";
import type { Projected } from "../api/projected.ts";

let world: ControllerWorld;
const FIELDS = ["data.known"] as const;
type Known = Projected<ConfigMap, typeof FIELDS>;

let cache: Cache<Known, ConfigMap>;
const reader = defineController({ name: "reader" }, (kit) => {
  cache = kit.reads(resources.configMaps, { fields: FIELDS });
  kit.queue({ name: "reader", workers: 1, sync: async () => ({}) });
});

beforeEach(async () => {
  world = await newWorld();
  await world.start(reader());
});
afterEach(async () => world.stop());

async function objectsNow(): Promise<readonly Known[]> {
  const found: Known[] = [];
  let ended = false;
  const listing = cache.listLive((map) => void found.push(map), new AbortController().signal);
  const listed = Promise.allSettled([listing]).finally(() => (ended = true));
  await world.clock.runUntil(() => ended, 60_000);
  await listed;
  await listing;
  return found;
}

test("what the server has is told past the cache, page by page", async () => {
  world.server.parts.faults.holdWatches({ resource: "configmaps" });
  const names = Array.from({ length: 501 }, (_, index) => `map-${index}`);
  for (const name of names) await world.create(resources.configMaps, { metadata: { name } });
  await world.run();
  expect(cache.lister.list()).toEqual([]);
  const found = await objectsNow();
  expect(new Set(found.map(({ metadata }) => metadata.name))).toEqual(new Set(names));
});

test("with the fields that were asked for, and no others", async () => {
  await world.create(resources.configMaps, { metadata: { name: "a" }, data: { known: "x", other: "y" } });
  expect((await objectsNow())[0]?.data).toEqual({ known: "x" });
});

test("a list that fails is an error", async () => {
  world.server.parts.faults.add({
    target: { verb: "list", resource: "configmaps" },
    action: { kind: "status", when: "before", error: internal("no") },
  });
  await expect(objectsNow()).rejects.toThrow("no");
});
