import { expect, test } from "vitest";
import type { Stored } from "../../pkg/api/object.ts";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";
import { stored } from "../../test/harness/stored.ts";
import { Holds } from "./holds.ts";
import { LatestVolumes } from "./latest-volumes.ts";

const at = (resourceVersion: string, uid = "one"): Stored<PersistentVolume> =>
  stored<PersistentVolume>({ metadata: { name: "v", uid, resourceVersion } });

// upstream: pkg/controller/volume/persistentvolume/pv_controller_test.go#TestControllerCache, TestControllerCacheParsingError
test.each([
  ["a newer answer counts", "1", "2", "2"],
  ["the same answer is the cache's", "1", "1", "1"],
  ["an older answer does not count", "2", "1", "2"],
  ["versions are numbers", "9", "10", "10"],
  ["what is no version does not count", "1", "xxx", "1"],
])("%s", (_, cached, written, expected) => {
  const latest = new LatestVolumes();
  latest.wrote(at(written), at(cached));
  expect(latest.of("v", at(cached))?.metadata.resourceVersion).toBe(expected);
});

test("an answer is forgotten when the cache has it, or the volume is gone", () => {
  const latest = new LatestVolumes();
  for (const seen of [at("2"), at("3"), at("1", "two"), undefined]) {
    latest.wrote(at("2"), at("1"));
    latest.seen("v", at("1"));
    expect(latest.size).toBe(1);
    latest.seen("v", seen);
    expect([latest.size, latest.of("v", seen)]).toEqual([0, seen]);
  }
});

test("an answer about a volume that the cache has no more, or another of, is none", () => {
  const latest = new LatestVolumes();
  latest.wrote(at("2"), undefined);
  latest.wrote(at("2"), at("1", "two"));
  expect(latest.size).toBe(0);
  latest.wrote(at("2"), at("1"));
  expect([latest.of("v", undefined), latest.of("v", at("1", "two"))?.metadata.uid]).toEqual([
    undefined,
    "two",
  ]);
});

test("a volume is held once, and whoever asked meanwhile is told when it is free", () => {
  const holds = new Holds();
  const told: string[] = [];
  expect(holds.tryHold("v", () => told.push("first"))).toBe(true);
  expect(holds.tryHold("v", () => told.push("second"))).toBe(false);
  expect(holds.tryHold("w", () => told.push("other"))).toBe(true);
  expect(told).toEqual([]);
  holds.release("v");
  expect(told).toEqual(["second"]);
  expect(holds.tryHold("v", () => told.push("third"))).toBe(true);
});
