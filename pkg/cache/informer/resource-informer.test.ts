import { describe, expect, test } from "vitest";
import { FakeSource, busy, expired, lost } from "../../../test/harness/fake-source.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { asStored } from "../../../test/harness/stored.ts";
import type { ApiObject } from "../../api/object.ts";
import { seededRandom } from "../../clock/random.ts";
import { silentLogger } from "../../log/logger.ts";
import type { EventHandler } from "./informer.ts";
import { ResourceInformer } from "./resource-informer.ts";
import { TaskTurns } from "../../clock/task-turns.ts";

interface Thing extends ApiObject {
  readonly value?: number;
}

const thing = (name: string, value = 0, namespace = "ns"): Thing => ({
  metadata: { namespace, name },
  value,
});

interface FixtureOptions {
  readonly resyncMs?: number;
  readonly streamLists?: boolean;
  /** So many things of value POISON cannot be taken into the cache. */
  readonly poison?: number;
}

const POISON = 13;

function fixture(options: FixtureOptions = {}) {
  const clock = new VirtualClock();
  const source = new FakeSource<Thing>(clock);
  let { poison = 0 } = options;
  const informer = new ResourceInformer<Thing>({
    source,
    transform: (object) => {
      if (object.value !== POISON || poison === 0) return object;
      poison--;
      const { resourceVersion, ...metadata } = object.metadata;
      let reads = 0;
      const get = (): string | undefined => (reads++ === 0 ? expect.unreachable("poison") : resourceVersion);
      const poisoned = Object.defineProperty(metadata, "resourceVersion", { get });
      return asStored({ ...object, metadata: poisoned });
    },
    namespaced: true,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    tasks: new TaskTurns(clock, silentLogger),
    resyncMs: options.resyncMs ?? 0,
    onBatch: () => undefined,
    streamLists: options.streamLists ?? true,
  });
  const stop = new AbortController();
  const start = (): Promise<void> => informer.run(stop.signal);
  const finish = async (run: Promise<void>): Promise<void> => {
    stop.abort();
    await clock.advanceBy(0);
    await run;
  };
  return { clock, source, informer, start, finish };
}

function recorder(): { events: string[]; handler: EventHandler<Thing> } {
  const events: string[] = [];
  return {
    events,
    handler: {
      onAdd: (object, initial) =>
        events.push(`add ${object.metadata.name} ${object.value}${initial ? " initial" : ""}`),
      onUpdate: (before, after) =>
        events.push(`update ${after.metadata.name} ${before.value}→${after.value}`),
      onDelete: (object, missed) => events.push(`delete ${object.metadata.name}${missed ? " missed" : ""}`),
    },
  };
}

test("an informer lists, follows and stops", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("a", 1));
  source.put(thing("b", 1));
  const { events, handler } = recorder();
  const registration = informer.addHandler(handler);
  expect(registration.hasSynced()).toBe(false);
  const run = start();
  await clock.runUntil(() => registration.hasSynced());
  expect(events).toEqual(["add a 1 initial", "add b 1 initial"]);
  source.put(thing("a", 2));
  source.put(thing("c", 1));
  source.remove("ns/b");
  await clock.advanceBy(10);
  expect(events.slice(2)).toEqual(["update a 1→2", "add c 1", "delete b"]);
  expect(informer.lister.inNamespace("ns").map((object) => object.metadata.name)).toEqual(["a", "c"]);
  expect(informer.lastSyncResourceVersion()).toBe(source.version);
  await finish(run);
  expect(source.openWatches).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test("a relist finds what was missed", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("stays", 1));
  source.put(thing("changes", 1));
  source.put(thing("goes", 1));
  const { events, handler } = recorder();
  informer.addHandler(handler);
  const run = start();
  await clock.runUntil(() => events.length === 3);
  source.failures.push(busy());
  source.endWatches(lost());
  source.put(thing("changes", 2));
  source.remove("ns/goes");
  source.put(thing("comes", 1));
  source.compact();
  await clock.runUntil(() => events.length === 6);
  expect(new Set(events.slice(3))).toEqual(
    new Set(["delete goes missed", "update changes 1→2", "add comes 1"]),
  );
  await finish(run);
});

test("handlers get the last state of what was deleted: the deletion's own, or the last that was seen", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("a", 1));
  const b = source.put(thing("b", 1));
  const versions: (string | undefined)[] = [];
  informer.addHandler({ onDelete: ({ metadata }) => versions.push(metadata.resourceVersion) });
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  await clock.advanceBy(60_000);
  source.remove("ns/a");
  const deletedAt = source.version;
  await clock.advanceBy(0);
  source.endWatches(lost());
  source.remove("ns/b");
  source.compact();
  await clock.runUntil(() => versions.length === 2);
  expect(versions).toEqual([deletedAt, b.metadata.resourceVersion]);
  await finish(run);
});

test("a watch that breaks goes on from the last version without a list", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("a", 1));
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  source.endWatches(lost());
  source.put(thing("a", 2));
  await clock.runUntil(() => informer.lister.get("ns", "a")?.value === 2);
  expect(source.requests.map((request) => request.verb)).toEqual(["watch", "watch"]);
  expect(source.requests[1]).toMatchObject({ resourceVersion: "2" });
  source.endWatches(expired());
  await clock.runUntil(() => source.requests.length === 3);
  expect(source.requests[2]).toMatchObject({ sendInitialEvents: true, resourceVersion: "3" });
  await finish(run);
});

test("a handler that comes late is given the current state, and then what everybody gets", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("a", 1));
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  const { events, handler } = recorder();
  const registration = informer.addHandler(handler);
  source.put(thing("b", 1));
  expect(registration.hasSynced()).toBe(false);
  await clock.advanceBy(10);
  expect(registration.hasSynced()).toBe(true);
  expect(events).toEqual(["add a 1 initial", "add b 1"]);
  await finish(run);
  expect(() => informer.addHandler(handler)).toThrow("has stopped");
});

test("a handler has synced as soon as it was told of all that there is, and no sooner", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.put(thing("a", 1));
  source.put(thing("b", 1));
  const { events, handler } = recorder();
  const registration = informer.addHandler(handler);
  const { signal } = new AbortController();
  const synced = registration.whenSynced(signal).then((value) => ({ value, told: events.length }));
  const run = start();
  await clock.runUntil(() => registration.hasSynced());
  expect(await synced).toEqual({ value: true, told: 2 });
  expect(await registration.whenSynced(signal)).toBe(true);
  await finish(run);
});

test("whoever waits for a handler hears of the abort, and of an informer that ends before", async () => {
  const { informer, start, finish } = fixture();
  const registration = informer.addHandler({});
  const stop = new AbortController();
  const aborted = registration.whenSynced(stop.signal);
  stop.abort();
  expect(await aborted).toBe(false);
  const ended = registration.whenSynced(new AbortController().signal);
  await finish(start());
  expect(await ended).toBe(false);
  expect(await registration.whenSynced(new AbortController().signal)).toBe(false);
});

test("a handler that is removed hears nothing more, and the others all of it", async () => {
  const { clock, source, informer, start, finish } = fixture();
  const leaving = recorder();
  const staying = recorder();
  const registration = informer.addHandler(leaving.handler);
  informer.addHandler(staying.handler);
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  source.put(thing("a", 1));
  await clock.advanceBy(10);
  source.put(thing("a", 2));
  registration.remove();
  registration.remove();
  await clock.advanceBy(10);
  expect(leaving.events).toEqual(["add a 1"]);
  expect(staying.events).toEqual(["add a 1", "update a 1→2"]);
  await finish(run);
});

test("a handler registered twice is two handlers", async () => {
  const { clock, source, informer, start, finish } = fixture();
  const { events, handler } = recorder();
  informer.addHandler(handler);
  const second = informer.addHandler(handler);
  source.put(thing("a", 1));
  const run = start();
  await clock.runUntil(() => second.hasSynced());
  second.remove();
  source.put(thing("b", 1));
  await clock.advanceBy(10);
  expect(events).toEqual(["add a 1 initial", "add a 1 initial", "add b 1"]);
  await finish(run);
});

test("a handler that throws loses that event alone, harms no other handler, and is counted", async () => {
  const { clock, source, informer, start, finish } = fixture();
  const seen: string[] = [];
  const { events, handler } = recorder();
  informer.addHandler({
    onAdd: ({ metadata: { name } }) => {
      if (name === "bad") throw new Error("cannot bear it");
      seen.push(name ?? "");
    },
  });
  informer.addHandler(handler);
  source.put(thing("bad", 1));
  source.put(thing("good", 1));
  const run = start();
  await clock.runUntil(() => events.length === 2);
  expect(seen).toEqual(["good"]);
  expect(informer.handlerFailures()).toBe(1);
  await finish(run);
});

test("an index function that throws on one object spoils neither the cache nor the index", async () => {
  const { clock, source, informer, start, finish } = fixture();
  informer.addIndex("parity", ({ value = 0 }) => {
    if (value > 2) throw new Error("too large");
    return [value % 2 === 0 ? "even" : "odd"];
  });
  source.put(thing("large", 3));
  source.put(thing("small", 1));
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  expect(informer.lister.list().length).toBe(2);
  expect(informer.lister.byIndex("parity", "odd").map((object) => object.metadata.name)).toEqual(["small"]);
  source.put(thing("large", 2));
  await clock.advanceBy(0);
  expect(informer.lister.byIndex("parity", "even").map((object) => object.metadata.name)).toEqual(["large"]);
  await finish(run);
});

test("a slow handler holds up neither the cache nor the other handlers", async () => {
  const { clock, source, informer, start, finish } = fixture();
  const slow: string[] = [];
  const { events, handler } = recorder();
  // Time that passes within a handler, as on a real clock.
  let busyMs = 0;
  const now = clock.monotonicMs.bind(clock);
  clock.monotonicMs = () => now() + busyMs;
  informer.addHandler({
    onAdd: ({ metadata: { name } }) => {
      busyMs += 50;
      slow.push(name);
    },
  });
  informer.addHandler(handler);
  for (let index = 0; index < 100; index++) source.put(thing(`t${index}`, 1));
  const run = start();
  await clock.runUntil(() => events.length === 100);
  expect(slow.length).toBeLessThan(10);
  await clock.runUntil(() => slow.length === 100);
  await finish(run);
});

test("resyncs come to the handlers whose time it is, and to no other", async () => {
  const { clock, source, informer, start, finish } = fixture({ resyncMs: 60_000 });
  const handlers = { never: recorder(), byDefault: recorder(), often: recorder(), tooOften: recorder() };
  source.put(thing("a", 1));
  informer.addHandler(handlers.never.handler, { resyncMs: 0 });
  informer.addHandler(handlers.byDefault.handler);
  informer.addHandler(handlers.often.handler, { resyncMs: 20_000 });
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  // Too late to make the informer itself more frequent.
  informer.addHandler(handlers.tooOften.handler, { resyncMs: 1_000 });
  await clock.advanceBy(121_000);
  const resyncs = Object.entries(handlers).map(([name, { events }]) => [
    name,
    events.filter((event) => event === "update a 1→1").length,
  ]);
  expect(Object.fromEntries(resyncs)).toEqual({ never: 0, byDefault: 2, often: 6, tooOften: 6 });
  await finish(run);
});

test("a relist that finds nothing new is told to nobody", async () => {
  const { clock, source, informer, start, finish } = fixture();
  const { events, handler } = recorder();
  informer.addHandler(handler);
  source.put(thing("a", 1));
  const run = start();
  await clock.runUntil(() => events.length === 1);
  source.endWatches(expired());
  await clock.runUntil(() => source.requests.length === 2);
  await clock.advanceBy(100);
  expect(events).toEqual(["add a 1 initial"]);
  await finish(run);
});

test("waiting for the first list ends with it, with the signal, or with the informer", async () => {
  const { clock, source, informer, start, finish } = fixture();
  source.failures.push(busy());
  const impatient = new AbortController();
  const outcomes: string[] = [];
  const wait = async (name: string, signal: AbortSignal): Promise<void> => {
    outcomes.push(`${name} ${await informer.whenSynced(signal)}`);
  };
  const waits = [wait("impatient", impatient.signal), wait("patient", new AbortController().signal)];
  const run = start();
  await clock.advanceBy(0);
  impatient.abort();
  await clock.advanceBy(0);
  expect(outcomes).toEqual(["impatient false"]);
  await clock.advanceBy(5_000);
  expect(outcomes).toEqual(["impatient false", "patient true"]);
  await Promise.all(waits);
  await finish(run);
  const other = fixture();
  other.source.failures.push(busy());
  const otherRun = other.start();
  const stopped = other.informer.whenSynced(new AbortController().signal);
  await other.clock.advanceBy(0);
  await other.finish(otherRun);
  expect(await stopped).toBe(false);
  await expect(other.start()).rejects.toThrow("only once");
});

test("ten thousand events in one burst leave the event loop its turns, and the queue its bounds", async () => {
  const { clock, source, informer, start, finish } = fixture();
  let longest = 0;
  let turns = 0;
  const turn = clock.turn.bind(clock);
  clock.turn = async () => {
    turns++;
    longest = Math.max(longest, informer.queued());
    await turn();
  };
  const { events, handler } = recorder();
  informer.addHandler(handler);
  const run = start();
  await clock.runUntil(() => informer.hasSynced());
  for (let index = 0; index < 10_000; index++) source.put(thing(`t${index % 5_000}`, index));
  await clock.runUntil(() => events.length === 10_000);
  expect(turns).toBeGreaterThan(10);
  expect(longest).toBeLessThanOrEqual(2_000);
  await finish(run);
});

describe("a change that the cache cannot take", () => {
  test.each([true, false])("is told, and has everything read anew (as a stream: %s)", async (streamLists) => {
    const { clock, source, informer, start, finish } = fixture({ streamLists, poison: 1 });
    const { events, handler } = recorder();
    source.put(thing("a", 1));
    source.put(thing("b", 1));
    informer.addHandler(handler);
    const run = start();
    await clock.runUntil(() => events.length === 2);
    await clock.advanceBy(60_000);
    source.put(thing("c", 1));
    source.put(thing("a", POISON));
    source.put(thing("b", 2));
    await clock.advanceBy(0);
    expect(informer.failure()).toBeInstanceOf(Error);
    expect(informer.lastError()).toMatchObject({ code: "LostState", cause: informer.failure() });
    expect(informer.hasSynced()).toBe(true);
    const asked = source.requests.length;
    await clock.runUntil(() => informer.failure() === undefined);
    expect(source.requests.length).toBeGreaterThan(asked);
    expect(informer.lastError()).toBeUndefined();
    expect(informer.lister.list().map(({ value }) => value)).toEqual([POISON, 2, 1]);
    expect(new Set(events.slice(2))).toEqual(new Set(["add c 1", `update a 1→${POISON}`, "update b 1→2"]));
    source.put(thing("a", 3));
    await clock.advanceBy(0);
    expect(events.at(-1)).toBe(`update a ${POISON}→3`);
    expect(source.openWatches).toBe(1);
    await finish(run);
    expect(clock.pendingTimers).toBe(0);
  });

  test("time and again is read anew after longer and longer pauses", async () => {
    const { clock, source, informer, start, finish } = fixture({ poison: 1e9 });
    source.put(thing("a", 1));
    const run = start();
    await clock.runUntil(() => informer.hasSynced());
    await clock.advanceBy(60_000);
    const asked = source.requests.length;
    for (let second = 0; second < 3_600; second++) {
      source.put(thing("a", POISON));
      await clock.advanceBy(1_000);
    }
    expect(source.requests.length - asked).toBeGreaterThan(60);
    expect(source.requests.length - asked).toBeLessThan(360);
    await finish(run);
    expect(clock.pendingTimers).toBe(0);
  });

  test("holds up nobody who waits for room in the queue", async () => {
    const { clock, source, informer, start, finish } = fixture({ poison: 10 });
    const run = start();
    await clock.runUntil(() => informer.hasSynced());
    await clock.advanceBy(60_000);
    for (let index = 0; index < 5_000; index++)
      source.put(thing(`b-${index}`, index % 300 === 0 ? POISON : 0));
    await clock.advanceBy(120_000);
    expect(informer.lister.list()).toHaveLength(5_000);
    expect(informer.failure()).toBeUndefined();
    await finish(run);
  });
});
