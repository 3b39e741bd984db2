import type { ApiObject, Stored } from "../api/object.ts";
import { describe, expect, test } from "vitest";
import { stored } from "../../test/harness/stored.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Resource } from "../api/resource.ts";
import { silentLogger } from "../log/logger.ts";
import type { Labels } from "../metrics/metrics.ts";
import { ConsistencyStore, type KnownObject } from "./consistency.ts";

const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };
const sets: Resource = {
  group: "apps",
  version: "v1",
  plural: "daemonsets",
  kind: "DaemonSet",
  namespaced: true,
};

function setUp() {
  const clock = new VirtualClock();
  const seen = { pods: "", sets: "" };
  const present = new Set<string>();
  const holds = ({ uid }: KnownObject): boolean => present.has(uid);
  const skips: (Labels | undefined)[] = [];
  const warnings: string[] = [];
  const store = new ConsistencyStore({
    clock,
    log: { ...silentLogger, warn: (message) => void warnings.push(message) },
    caches: [
      { resource: pods, lastSyncResourceVersion: () => seen.pods, holds },
      { resource: sets, lastSyncResourceVersion: () => seen.sets, holds: () => false },
    ],
  });
  store.countSkips({
    inc: (labels) => void skips.push(labels),
    with: (labels) => ({ inc: () => void skips.push(labels) }),
  });
  return { clock, seen, present, skips, warnings, store };
}

test("what was written to a namespace is looked for there, where each is read on its own", () => {
  const read = new Map([
    ["a", "5"],
    ["b", "20"],
  ]);
  const lastSyncResourceVersion = (namespace = ""): string => read.get(namespace) ?? "";
  const caches = [{ resource: pods, lastSyncResourceVersion, holds: () => false }];
  const store = new ConsistencyStore({ clock: new VirtualClock(), log: silentLogger, caches });
  store.wroteAt("owner", "uid", { ...pods, namespace: "b" }, "20");
  expect(store.staleness("owner")).toBeUndefined();
  store.wroteAt("owner", "uid", { ...pods, namespace: "a" }, "10");
  expect(store.staleness("owner")).toMatchObject({ readVersion: "5", writtenVersion: "10" });
  read.set("a", "10");
  expect(store.staleness("owner")).toBeUndefined();
});

test.each([
  { name: "nothing written", written: [], seen: "5", stale: false },
  { name: "a cache that cannot say", written: ["10"], seen: "", stale: false },
  { name: "older", written: ["10"], seen: "5", stale: true },
  { name: "older by one digit", written: ["10"], seen: "9", stale: true },
  { name: "equal", written: ["10"], seen: "10", stale: false },
  { name: "newer", written: ["10"], seen: "15", stale: false },
  {
    name: "longer than any number",
    written: ["100000000000000000001"],
    seen: "100000000000000000000",
    stale: true,
  },
  { name: "the newest of several writes counts", written: ["5", "10", "8"], seen: "9", stale: true },
  { name: "seen all of several writes", written: ["5", "10", "8"], seen: "10", stale: false },
  { name: "a written version that is none", written: ["abc"], seen: "5", stale: false },
  { name: "a version after one that is none", written: ["abc", "10"], seen: "5", stale: true },
  { name: "a seen version that is none", written: ["10"], seen: "abc", stale: false },
])("$name: stale is $stale", ({ written, seen: version, stale }) => {
  const { store, seen } = setUp();
  for (const one of written) store.wroteAt("ns/a", "uid", pods, one);
  seen.pods = version;
  expect(store.staleness("ns/a") !== undefined).toBe(stale);
  expect(store.waitMs("ns/a")).toBe(stale ? 5 : undefined);
});

test("all caches must have caught up; the first that has not is named", () => {
  const { store, seen } = setUp();
  store.wroteAt("ns/a", "uid", pods, "10");
  store.wroteAt("ns/a", "uid", sets, "100");
  Object.assign(seen, { pods: "10", sets: "50" });
  expect(store.staleness("ns/a")).toEqual({ resource: sets, readVersion: "50", writtenVersion: "100" });
  seen.sets = "100";
  expect(store.staleness("ns/a")).toBeUndefined();
});

test("a resource without a cache holds nothing up", () => {
  const { store, seen } = setUp();
  seen.pods = "1";
  store.wroteAt("ns/a", "uid", { ...pods, plural: "secrets" }, "10");
  expect(store.waitMs("ns/a")).toBeUndefined();
});

test("waits grow to a second, are counted, and start small again for the next write", () => {
  const { store, seen, skips } = setUp();
  seen.pods = "5";
  store.wroteAt("ns/a", "uid", pods, "10");
  expect(Array.from({ length: 10 }, () => store.waitMs("ns/a"))).toEqual([
    5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000,
  ]);
  expect(skips).toHaveLength(10);
  expect(skips[0]).toEqual({ group: "", resource: "pods" });
  seen.pods = "10";
  expect(store.waitMs("ns/a")).toBeUndefined();
  store.wroteAt("ns/a", "uid", pods, "11");
  expect(store.waitMs("ns/a")).toBe(5);
});

test("a cache that does not catch up is waited for without end, and the log says so every five minutes", async () => {
  const { clock, store, seen, warnings } = setUp();
  seen.pods = "5";
  store.wroteAt("ns/a", "uid", pods, "10");
  await clock.advanceBy(600_000);
  expect([store.waitMs("ns/a"), warnings.length]).toEqual([5, 0]);
  for (let minutes = 1; minutes <= 60; minutes++) {
    await clock.advanceBy(60_000);
    expect(store.waitMs("ns/a")).toBeGreaterThan(5);
    expect(warnings).toHaveLength(Math.floor(minutes / 5));
  }
  seen.pods = "10";
  expect([store.waitMs("ns/a"), store.size]).toEqual([undefined, 0]);
});

describe("what was deleted, and told no version", () => {
  const pod = owner("pod", "pod-uid");

  test("is waited for until the cache has it no more, whatever its version", () => {
    const { store, seen, present, skips } = setUp();
    present.add("pod-uid");
    seen.pods = "1000";
    store.deletedFor(owner("a", "uid"), pods, pod);
    expect(store.staleness("ns/a")).toEqual({ resource: pods, deleted: "ns/pod" });
    expect([store.waitMs("ns/a"), skips]).toEqual([5, [{ group: "", resource: "pods" }]]);
    present.clear();
    expect([store.waitMs("ns/a"), store.size]).toEqual([undefined, 0]);
  });

  test("is looked for in the cache of its resource only", () => {
    const { store, present } = setUp();
    present.add("pod-uid");
    store.deletedFor(owner("a", "uid"), sets, pod);
    expect(store.waitMs("ns/a")).toBeUndefined();
  });

  test("is waited for beside versions, and forgotten with them for a new owner of the name", () => {
    const { store, seen, present } = setUp();
    present.add("pod-uid");
    seen.pods = "10";
    store.wroteAt("ns/a", "uid", pods, "10");
    store.deletedFor(owner("a", "uid"), pods, pod);
    expect(store.staleness("ns/a")).toBeDefined();
    store.wroteAt("ns/a", "new", pods, "10");
    expect(store.staleness("ns/a")).toBeUndefined();
  });

  test("is not remembered where nothing is", () => {
    const { store } = setUp();
    store.switchOff();
    store.deletedFor(owner("a", "uid"), pods, pod);
    expect(store.size).toBe(0);
  });
});

describe("records", () => {
  test("are dropped once the caches have caught up", () => {
    const { store, seen } = setUp();
    seen.pods = "10";
    store.wroteAt("ns/a", "uid", pods, "10");
    expect(store.size).toBe(1);
    store.waitMs("ns/a");
    expect(store.size).toBe(0);
  });

  test("of an earlier owner of the name are replaced", () => {
    const { store, seen } = setUp();
    seen.pods = "5";
    store.wroteAt("ns/a", "old", pods, "10");
    store.wroteAt("ns/a", "new", sets, "1");
    expect(store.staleness("ns/a")).toBeUndefined();
  });

  test("are forgotten with the very owner, or with its name", () => {
    const { store } = setUp();
    store.wroteAt("ns/a", "uid-a", pods, "10");
    store.wroteAt("ns/b", "uid-b", pods, "10");
    store.delete(owner("c", "uid-a"));
    store.delete(owner("a", "uid-b"));
    expect(store.size).toBe(2);
    store.delete(owner("a", "uid-a"));
    expect(store.size).toBe(1);
    store.deleteName("ns/b");
    expect(store.size).toBe(0);
  });

  test("are not made of an answer without a version", () => {
    const { store } = setUp();
    store.wroteAt("ns/a", "uid", pods, undefined);
    expect(store.size).toBe(0);
  });
});

function owner(name: string, uid: string): Stored {
  return stored<ApiObject>({ metadata: { namespace: "ns", name, uid } });
}
