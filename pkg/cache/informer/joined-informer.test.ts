import { expect, test } from "vitest";
import { busy, FakeSource } from "../../../test/harness/fake-source.ts";
import { selectorFromSpec } from "../../api/label-selector.ts";
import { type ApiObject, keyOf } from "../../api/object.ts";
import type { TypedResource } from "../../api/resource.ts";
import { seededRandom } from "../../clock/random.ts";
import { silentLogger } from "../../log/logger.ts";
import { noMetrics } from "../../metrics/metrics.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { SharedInformerFactory } from "./informer-factory.ts";
import { JoinedInformer } from "./joined-informer.ts";

const THINGS: TypedResource<ApiObject> = {
  group: "example.com",
  version: "v1",
  plural: "things",
  kind: "Thing",
  namespaced: true,
};
const thing = (namespace: string, name: string, colour: string): ApiObject => ({
  metadata: { namespace, name, labels: { colour } },
});

/** The informers of two namespaces, each with a server of its own, as one. */
function twoNamespaces() {
  const clock = new VirtualClock();
  const north = new FakeSource<ApiObject>(clock, 10);
  const south = new FakeSource<ApiObject>(clock, 50);
  north.put(thing("north", "a", "red"));
  north.put(thing("north", "b", "blue"));
  south.put(thing("south", "a", "red"));
  const factory = new SharedInformerFactory({
    clients: {
      dynamic: ({ plural }) => (plural === "north" ? north : south),
      metadata: () => {
        throw new Error("metadata alone is not asked for");
      },
    },
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: noMetrics,
    name: "test",
  });
  const informerOf = (namespace: string) => factory.informer({ ...THINGS, plural: namespace }, { namespace });
  const parts = new Map(["north", "south"].map((namespace) => [namespace, informerOf(namespace)]));
  const stop = new AbortController();
  const start = async (): Promise<void> => {
    factory.start(stop.signal);
    await clock.advanceBy(100);
  };
  const finish = async (): Promise<void> => {
    const ended = factory.shutdown();
    await clock.advanceBy(0);
    await ended;
  };
  return { clock, north, south, joined: new JoinedInformer(parts), parts, stop, start, finish };
}

const namesOf = (objects: readonly ApiObject[]): readonly string[] =>
  objects.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted();

test("objects of several namespaces are found as if they were read in one go", async () => {
  const { joined, start, finish } = twoNamespaces();
  joined.addIndex("colour", ({ metadata }) => Object.values(metadata.labels ?? {}));
  await start();
  const { lister } = joined;
  expect(namesOf(lister.list())).toEqual(["north/a", "north/b", "south/a"]);
  expect(namesOf(lister.list(selectorFromSpec({ matchLabels: { colour: "blue" } })))).toEqual(["north/b"]);
  expect(namesOf(lister.inNamespace("south"))).toEqual(["south/a"]);
  expect(namesOf(lister.inNamespace("north", selectorFromSpec({ matchLabels: { colour: "red" } })))).toEqual([
    "north/a",
  ]);
  expect(namesOf(lister.inNamespace("", selectorFromSpec({ matchLabels: { colour: "red" } })))).toEqual([
    "north/a",
    "south/a",
  ]);
  expect(lister.inNamespace("elsewhere")).toEqual([]);
  expect(namesOf(lister.byIndex("colour", "red"))).toEqual(["north/a", "south/a"]);
  expect(lister.get("south", "a")?.metadata.namespace).toBe("south");
  expect(lister.getByKey("north/b")?.metadata.name).toBe("b");
  expect([lister.get("south", "b"), lister.get(undefined, "a"), lister.getByKey("elsewhere/a")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  await finish();
});

test("handlers are told of all namespaces until they are removed", async () => {
  const { clock, north, south, joined, start, finish } = twoNamespaces();
  const told: string[] = [];
  const registration = joined.addHandler({
    onAdd: (object) => told.push(`add ${keyOf(object)}`),
    onDelete: (object) => told.push(`delete ${keyOf(object)}`),
  });
  expect(registration.hasSynced()).toBe(false);
  await start();
  expect(registration.hasSynced()).toBe(true);
  north.remove("north/b");
  await clock.advanceBy(100);
  south.put(thing("south", "c", "red"));
  await clock.advanceBy(100);
  expect(told.slice(0, 3).toSorted()).toEqual(["add north/a", "add north/b", "add south/a"]);
  expect(told.slice(3)).toEqual(["delete north/b", "add south/c"]);
  registration.remove();
  north.put(thing("north", "d", "red"));
  south.put(thing("south", "d", "red"));
  await clock.advanceBy(100);
  expect(told).toHaveLength(5);
  await finish();
});

test("all have been read when each has, and silence is that of the one not heard of for longest", async () => {
  const { clock, north, south, joined, parts, stop, start, finish } = twoNamespaces();
  south.failures.push(...Array.from({ length: 3 }, busy));
  const synced = joined.whenSynced(stop.signal);
  let isSynced: boolean | undefined;
  void synced.then((value) => (isSynced = value));
  await start();
  expect([parts.get("north")?.hasSynced(), joined.hasSynced(), isSynced]).toEqual([true, false, undefined]);
  await clock.advanceBy(60_000);
  expect([joined.hasSynced(), isSynced]).toEqual([true, true]);
  north.bookmark();
  await clock.advanceBy(100);
  const [heardFirst, heardLast] = [parts.get("south")?.silentSinceMs(), parts.get("north")?.silentSinceMs()];
  expect(heardFirst).toBeLessThan(heardLast ?? 0);
  expect(joined.silentSinceMs()).toBe(heardFirst);
  await finish();
});

test("whoever waits is told that it will never be, when the waiting ends", async () => {
  const { joined, stop } = twoNamespaces();
  const registration = joined.addHandler({});
  const answers = [joined.whenSynced(stop.signal), registration.whenSynced(stop.signal)];
  stop.abort(new Error("enough"));
  expect(await Promise.all(answers)).toEqual([false, false]);
});

test("a version is that of one namespace: of all together there is none", async () => {
  const { joined, north, south, start, finish } = twoNamespaces();
  await start();
  expect(joined.lastSyncResourceVersion("north")).toBe(north.version);
  expect(joined.lastSyncResourceVersion("south")).toBe(south.version);
  expect([joined.lastSyncResourceVersion(), joined.lastSyncResourceVersion("elsewhere")]).toEqual(["", ""]);
  await finish();
});

test("what the servers have now is handed over, namespace by namespace", async () => {
  const { clock, joined, stop, start, finish, south } = twoNamespaces();
  await start();
  south.put(thing("south", "late", "red"));
  const found: ApiObject[] = [];
  const read = joined.listLive((object) => found.push(object), stop.signal);
  await clock.advanceBy(100);
  await read;
  expect([...new Set(namesOf(found))]).toEqual(["north/a", "north/b", "south/a", "south/late"]);
  await finish();
});

test("without any namespace there is nothing, and nothing to wait for", async () => {
  const joined = new JoinedInformer(new Map());
  expect(joined.lister.list()).toEqual([]);
  expect(joined.hasSynced()).toBe(true);
  expect(joined.silentSinceMs()).toBe(Infinity);
  expect(await joined.whenSynced(new AbortController().signal)).toBe(true);
});
