import { expect, test } from "vitest";
import { busy, FakeSource, refused } from "../../../test/harness/fake-source.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiObject, PartialObject } from "../../api/object.ts";
import type { TypedResource } from "../../api/resource.ts";
import { seededRandom } from "../../clock/random.ts";
import { silentLogger } from "../../log/logger.ts";
import { type Metrics, noMetrics } from "../../metrics/metrics.ts";
import { type InformerFactoryOptions, SharedInformerFactory } from "./informer-factory.ts";

interface Thing extends ApiObject {
  readonly spec: { readonly size: number; readonly colour: string };
}
const THINGS: TypedResource<Thing> = {
  group: "example.com",
  version: "v1",
  plural: "things",
  kind: "Thing",
  namespaced: true,
};
const OTHERS: TypedResource<ApiObject> = { ...THINGS, plural: "others", kind: "Other" };

const thing = (name: string): Thing => ({
  metadata: { namespace: "ns", name, annotations: { note: "x" } },
  spec: { size: 1, colour: "red" },
});

function fixture(options: Partial<InformerFactoryOptions> = {}) {
  const clock = new VirtualClock();
  const sources = new Map<string, FakeSource<ApiObject>>();
  const source = (name: string): FakeSource<ApiObject> => {
    const made = sources.get(name) ?? new FakeSource<ApiObject>(clock);
    sources.set(name, made);
    return made;
  };
  const factory = new SharedInformerFactory({
    clients: {
      dynamic: ({ plural }) => source(plural),
      metadata: ({ plural }) => source(`${plural} metadata`),
    },
    clock,
    random: seededRandom(1),
    log: silentLogger,
    metrics: noMetrics,
    name: "test",
    ...options,
  });
  const stop = new AbortController();
  const finish = async (): Promise<void> => {
    const ended = factory.shutdown();
    await clock.advanceBy(0);
    await ended;
    expect(clock.pendingTimers).toBe(0);
  };
  return { clock, source, factory, stop, finish };
}

test("one resource and scope has one informer, however many ask for it", () => {
  const { factory } = fixture();
  const things = factory.informer(THINGS);
  expect(factory.informer(THINGS, { fields: ["spec.size"] })).toBe(things);
  expect(factory.informer({ ...THINGS, version: "v2" })).not.toBe(things);
  expect(factory.informer(THINGS, { namespace: "a" })).not.toBe(things);
  const selected = factory.informer(THINGS, { labelSelector: "a=b" });
  expect(selected).not.toBe(things);
  expect(factory.informer(THINGS, { labelSelector: "a=b" })).toBe(selected);
});

test("start is idempotent, starts what came since, and scopes go into the requests", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  factory.informer(THINGS, { namespace: "ns", fieldSelector: "spec.x=y" });
  factory.start(stop.signal);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  expect(source("things").requests.length).toBe(1);
  expect(source("things").requests[0]).toMatchObject({ namespace: "ns", fieldSelector: "spec.x=y" });
  factory.informer(OTHERS);
  expect(source("others").requests.length).toBe(0);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  expect(source("others").requests.length).toBe(1);
  await finish();
});

test("the cache holds what any consumer reads, and no more can be asked for after the start", async () => {
  const { clock, source, factory, stop, finish } = fixture({ strict: () => undefined });
  source("things").put(thing("a"));
  const informer = factory.informer(THINGS, { fields: ["spec.size"] });
  factory.informer(THINGS, { fields: [] });
  factory.start(stop.signal);
  await clock.advanceBy(100);
  const cached = informer.lister.get("ns", "a");
  expect(cached?.spec).toEqual({ size: 1 });
  expect(Object.keys(cached?.metadata ?? {})).not.toContain("annotations");
  expect(() => cached?.spec.colour).toThrow("reads spec.colour of things.example.com");
  expect(() => Object.assign(cached?.spec ?? {}, { size: 2 })).toThrow(TypeError);
  expect(() => factory.informer(THINGS)).toThrow("things.example.com runs already");
  const beside = factory.informer(THINGS, { beside: true });
  expect(factory.informer(THINGS, { beside: true })).toBe(beside);
  expect(factory.informer(THINGS, { fields: ["spec.size"] }).lister.get("ns", "a")?.spec.size).toBe(1);
  await finish();
});

test("where the factory is strict each consumer finds what it declared itself, however much is cached", async () => {
  const told: string[] = [];
  const { clock, source, factory, stop, finish } = fixture({ strict: ({ message }) => told.push(message) });
  source("things").put(thing("a"));
  const size = factory.informer(THINGS, { fields: ["spec.size"] });
  const colour = factory.informer(THINGS, { fields: ["spec.colour", "metadata.annotations[note]"] });
  const nothing = factory.of("nobody in particular").metadataInformer(THINGS, { fields: [] });
  const seen: PartialObject[] = [];
  size.addHandler({ onAdd: (object) => seen.push(object) });
  factory.start(stop.signal);
  await clock.advanceBy(100);
  const one = size.lister.get("ns", "a");
  expect(one).toMatchObject({ kind: "Thing", metadata: { name: "a" }, spec: { size: 1 } });
  expect(() => one?.spec.colour).toThrow("reads spec.colour of things.example.com");
  expect(() => one?.metadata.annotations).toThrow("reads metadata.annotations of things.example.com");
  expect(colour.lister.getByKey("ns/a")?.spec.colour).toBe("red");
  expect(colour.lister.inNamespace("ns")[0]?.metadata.annotations).toEqual({ note: "x" });
  expect(() => colour.lister.list()[0]?.spec.size).toThrow("reads spec.size of things.example.com");
  expect(() => (nothing.lister.list()[0] as Thing).spec).toThrow("reads spec of things.example.com");
  expect(told.at(-1)).toBe(
    "nobody in particular reads spec of things.example.com, which it has not declared",
  );
  expect(told).toHaveLength(4);
  // The same each time, and not to be changed, as what is cached is.
  expect(seen).toEqual([one]);
  expect(size.lister.list()[0]).toBe(one);
  expect(size.lister.list()).toBe(size.lister.list());
  expect(() => Object.assign(one?.spec ?? {}, { size: 2 })).toThrow(TypeError);
  await factory.release(size);
  await factory.release(colour);
  await factory.release(nothing);
  expect(factory.health()).toEqual([]);
  await finish();
});

test("metadata is read from whole objects where those are cached, and by itself elsewhere", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  const things = factory.informer(THINGS, { fields: ["spec.size"] });
  expect(factory.metadataInformer(THINGS)).toBe(things);
  const others = factory.metadataInformer(OTHERS);
  source("things").put(thing("a"));
  source("others metadata").put({ metadata: { name: "b", namespace: "ns", annotations: { note: "x" } } });
  factory.start(stop.signal);
  await clock.advanceBy(100);
  expect(things.lister.get("ns", "a")?.metadata.annotations).toEqual({ note: "x" });
  expect(others.lister.get("ns", "b")).toMatchObject({
    kind: "Other",
    metadata: { annotations: { note: "x" } },
  });
  expect(source("others").requests).toEqual([]);
  await finish();
});

test("a cache that runs without annotations does not serve those who read all metadata", async () => {
  const { factory, stop, finish } = fixture();
  const things = factory.informer(THINGS, { fields: ["spec.size"] });
  factory.start(stop.signal);
  expect(factory.metadataInformer(THINGS)).not.toBe(things);
  await finish();
});

test("a cache that runs without annotations serves those who read other metadata", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  const things = factory.informer(THINGS, { fields: ["spec.size"] });
  factory.start(stop.signal);
  expect(factory.metadataInformer(THINGS, { fields: [] })).toBe(things);
  const others = factory.metadataInformer(OTHERS, { fields: ["metadata.annotations[kept]"] });
  const annotations = { kept: "x", other: "y" };
  source("others metadata").put({ metadata: { name: "b", namespace: "ns", annotations } });
  factory.start(stop.signal);
  await clock.advanceBy(100);
  expect(others.lister.get("ns", "b")?.metadata.annotations).toEqual({ kept: "x" });
  await finish();
});

test("a transform sees every object once, already projected", async () => {
  const transformed: PartialObject[] = [];
  const { clock, source, factory, stop, finish } = fixture({
    transform: (object) => {
      transformed.push(object);
      return { ...object, metadata: { ...object.metadata, labels: { seen: "yes" } } };
    },
  });
  source("things").put(thing("a"));
  const informer = factory.informer(THINGS, { fields: ["spec.size"] });
  factory.start(stop.signal);
  await clock.advanceBy(100);
  expect(transformed).toMatchObject([{ kind: "Thing", spec: { size: 1 } }]);
  expect(informer.lister.list()[0]?.metadata.labels).toEqual({ seen: "yes" });
  await finish();
});

test("waiting for the first lists names those that did not come in time", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  factory.informer(THINGS);
  factory.informer(OTHERS, { labelSelector: "a=b" });
  source("others").failures.push(refused(), refused(), refused());
  factory.start(stop.signal);
  const limit = new AbortController();
  const missing = factory.waitForSync(limit.signal);
  await clock.advanceBy(1_000);
  limit.abort();
  expect(await missing).toEqual(["others.example.com (a=b)"]);
  expect(factory.health()).toMatchObject([
    { name: "things.example.com", synced: true, silentMs: 1_000, lastError: undefined, handlerFailures: 0 },
    { name: "others.example.com (a=b)", synced: false, lastError: { failure: "refused" } },
  ]);
  const rest = factory.waitForSync(stop.signal);
  await clock.advanceBy(20_000);
  expect(await rest).toEqual([]);
  await finish();
});

test("an informer whose cache lacks something says so until everything was read anew", async () => {
  const fails = new Set<string>();
  const { clock, source, factory, stop, finish } = fixture({
    transform: (object) => {
      if (!fails.delete(object.metadata.name ?? "")) return object;
      const { resourceVersion, ...metadata } = object.metadata;
      let reads = 0;
      const get = (): string | undefined => (reads++ === 0 ? expect.unreachable("poison") : resourceVersion);
      return { ...object, metadata: Object.defineProperty(metadata, "resourceVersion", { get }) };
    },
  });
  factory.informer(THINGS);
  factory.start(stop.signal);
  await clock.advanceBy(60_000);
  expect(factory.health()).toMatchObject([{ failure: undefined }]);
  fails.add("a");
  source("things").put(thing("a"));
  await clock.advanceBy(0);
  expect(factory.health()).toMatchObject([{ failure: expect.any(Error) as unknown }]);
  await clock.advanceBy(60_000);
  expect(factory.health()).toMatchObject([{ failure: undefined, lastError: undefined }]);
  await finish();
});

test("shutdown ends everything, and nothing starts after it", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  factory.informer(THINGS);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  source("things").failures.push(busy());
  source("things").endWatches(busy());
  await clock.advanceBy(0);
  await finish();
  factory.informer(OTHERS);
  factory.start(stop.signal);
  await clock.advanceBy(60_000);
  expect(source("others").requests).toEqual([]);
  expect(factory.health()).toEqual([]);
});

test("an informer that is released ends, and is made anew for the next one who asks", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  const things = factory.informer(THINGS);
  const others = factory.informer(OTHERS);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  await factory.release(things);
  expect(source("things").openWatches).toBe(0);
  expect(source("others").openWatches).toBe(1);
  expect(factory.health().map(({ name }) => name)).toEqual(["others.example.com"]);
  const again = factory.informer(THINGS);
  expect(again).not.toBe(things);
  expect(factory.informer(OTHERS)).toBe(others);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  expect(again.hasSynced()).toBe(true);
  await finish();
});

test("an informer that others have too goes on when one of them gives it back", async () => {
  const { clock, source, factory, stop, finish } = fixture();
  const things = factory.informer(THINGS);
  expect(factory.metadataInformer(THINGS)).toBe(things);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  await factory.release(things);
  expect(source("things").openWatches).toBe(1);
  await factory.release(things);
  expect(source("things").openWatches).toBe(0);
  await finish();
});

test("by default handlers are resynced once in between one and two periods, drawn per informer", async () => {
  const { clock, source, factory, stop, finish } = fixture({ leastResyncMs: 100_000 });
  const firstResyncMs = new Map<string, number>();
  for (const resource of [THINGS, OTHERS]) {
    source(resource.plural).put(thing("a"));
    factory.informer(resource).addHandler({
      onUpdate: () => {
        if (!firstResyncMs.has(resource.plural)) firstResyncMs.set(resource.plural, clock.monotonicMs());
      },
    });
  }
  factory.start(stop.signal);
  await clock.advanceBy(200_000);
  expect(firstResyncMs.size).toBe(2);
  for (const ms of firstResyncMs.values()) expect(ms).toBeGreaterThanOrEqual(100_000);
  expect(new Set(firstResyncMs.values()).size).toBe(2);
  await finish();
});

test("metrics tell the version and the latency of the cache of a resource", async () => {
  const gauges = new Map<string, number>();
  let batches = 0;
  const removed: string[] = [];
  let collect = (): void | Promise<void> => undefined;
  const bound = (name: string, labels: object) => ({
    set: (value: number) => void gauges.set(`${name} ${Object.values(labels).join("/")}`, value),
    add: () => undefined,
  });
  const metrics: Metrics = {
    ...noMetrics,
    gauge: (options) => ({
      ...noMetrics.gauge(options),
      with: (labels) => bound(options.name, labels),
      remove: (labels) => void removed.push(Object.values(labels).join("/")),
    }),
    histogram: () => ({ observe: () => undefined, with: () => ({ observe: () => void batches++ }) }),
    onCollect: (refresh) => (collect = refresh),
  };
  const { clock, source, factory, stop, finish } = fixture({ metrics });
  source("things").put(thing("a"));
  const things = factory.informer(THINGS);
  factory.start(stop.signal);
  await clock.advanceBy(100);
  await collect();
  expect(gauges).toEqual(
    new Map([
      ["informer_queued_items test/example.com/v1/things", 0],
      ["informer_store_resource_version test/example.com/v1/things", 2],
    ]),
  );
  expect(batches).toBe(1);
  gauges.clear();
  await factory.release(things);
  await collect();
  expect(gauges.size).toBe(0);
  expect(removed).toEqual(["test/example.com/v1/things", "test/example.com/v1/things"]);
  await finish();
});
