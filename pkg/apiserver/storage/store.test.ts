import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiObject } from "../../api/object.ts";
import type { StoredEvent } from "./bucket.ts";
import { CompactedError, Store, type Unstored } from "./store.ts";

const bucket = "things";

function draft(value: number): Unstored {
  return { metadata: { name: "x" }, value } as Unstored;
}

function valueOf(object: ApiObject | undefined): unknown {
  return (object as { readonly value?: unknown } | undefined)?.value;
}

function newStore(maxEvents = 8192): Store {
  return new Store({ clock: new VirtualClock(), window: { maxEvents, maxAgeMs: Infinity } });
}

type Operation =
  | { readonly kind: "put"; readonly key: string; readonly value: number }
  | { readonly kind: "remove"; readonly key: string };

const keys = fc.constantFrom("a/1", "a/2", "a/10", "b/1", "ab/1", "c");
const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("put" as const), key: keys, value: fc.nat(9) }),
    fc.record({ kind: fc.constant("remove" as const), key: keys }),
  ),
  { maxLength: 60 },
);

/** The plain model: a full copy of the state at every revision. */
function runModel(store: Store, list: readonly Operation[]): Map<number, ReadonlyMap<string, number>> {
  const state = new Map<string, number>();
  const history = new Map<number, ReadonlyMap<string, number>>([[store.revision, new Map()]]);
  for (const operation of list) {
    const current = store.get(bucket, operation.key);
    if (operation.kind === "put") {
      store.put(bucket, operation.key, current, draft(operation.value));
      state.set(operation.key, operation.value);
    } else if (current !== undefined) {
      store.remove(bucket, operation.key, current);
      state.delete(operation.key);
    } else continue;
    history.set(store.revision, new Map(state));
  }
  return history;
}

function expected(state: ReadonlyMap<string, number>, prefix: string): unknown[] {
  return [...state]
    .filter(([key]) => key.startsWith(prefix))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
}

describe("the store", () => {
  test("lists at every revision of the window what a full history would give", () => {
    fc.assert(
      fc.property(operations, fc.constantFrom("", "a/", "b/", "zz"), (list, prefix) => {
        const store = newStore();
        for (const [revision, state] of runModel(store, list)) {
          const { items } = store.scan(bucket, { prefix, revision });
          expect(items.map(valueOf)).toEqual(expected(state, prefix));
        }
      }),
    );
  });

  test("pages of any size add up to the list at the first page's revision, whatever is written between them", () => {
    fc.assert(
      fc.property(operations, operations, fc.integer({ min: 1, max: 4 }), (before, between, limit) => {
        const store = newStore();
        runModel(store, before);
        const { items: whole, revision } = store.scan(bucket, { prefix: "" });
        const collected: unknown[] = [];
        let from: string | undefined = "";
        for (let page = 0; from !== undefined; page++) {
          const found = store.scan(bucket, { prefix: "", revision, from, limit });
          collected.push(...found.items);
          from = found.next;
          if (page === 0) runModel(store, between);
          if (from !== undefined) expect(found.remaining).toBe(whole.length - collected.length);
        }
        expect(collected).toEqual(whole);
      }),
    );
  });

  test("the events after a revision lead from the state then to the state now", () => {
    fc.assert(
      fc.property(operations, fc.nat(), (list, pick) => {
        const store = newStore();
        const history = [...runModel(store, list)];
        const [revision, state] = history[pick % history.length] ?? [1, new Map<string, number>()];
        const replayed = new Map(state);
        for (const event of store.eventsAfter(bucket, revision)) {
          expect(event.type === "ADDED").toBe(!replayed.has(event.key));
          if (event.type === "DELETED") replayed.delete(event.key);
          else replayed.set(event.key, valueOf(event.object) as number);
        }
        expect(replayed).toEqual(history.at(-1)?.[1]);
      }),
    );
  });

  test("a write takes place only on the state that its author saw", () => {
    const store = newStore();
    const first = store.put(bucket, "k", undefined, draft(1));
    expect(store.put(bucket, "k", undefined, draft(2))).toBeUndefined();
    const second = store.put(bucket, "k", first, draft(2));
    expect(second?.metadata.resourceVersion).toBe("3");
    expect(store.put(bucket, "k", first, draft(3))).toBeUndefined();
    expect(first !== undefined && store.remove(bucket, "k", first)).toBeUndefined();
    expect(valueOf(store.get(bucket, "k"))).toBe(2);
    expect(store.revision).toBe(3);
  });

  test("one counter numbers the writes of all buckets, deletions included", () => {
    const store = newStore();
    const one = store.put("a", "k", undefined, draft(1));
    store.put("b", "k", undefined, draft(1));
    const removed = one === undefined ? undefined : store.remove("a", "k", one);
    expect(one?.metadata.resourceVersion).toBe("2");
    expect(removed?.metadata.resourceVersion).toBe("4");
  });

  test("what is stored cannot be changed", () => {
    const stored = newStore().put(bucket, "k", undefined, { metadata: { labels: { a: "b" } } });
    expect(Object.isFrozen(stored?.metadata.labels)).toBe(true);
  });

  test("what is stored is left as it is where nobody asks for that", () => {
    const store = new Store({ clock: new VirtualClock(), unfrozen: true });
    const draft = { metadata: { labels: { a: "b" } } };
    store.prepare(draft);
    const stored = store.put(bucket, "k", undefined, draft);
    expect([stored, stored?.metadata.labels].map((part) => Object.isFrozen(part))).toEqual([false, false]);
  });

  test("compaction forgets reads and watches from before it, and no others", () => {
    const store = newStore();
    runModel(store, [
      { kind: "put", key: "a", value: 1 },
      { kind: "put", key: "a", value: 2 },
      { kind: "put", key: "a", value: 3 },
    ]);
    store.compact(3);
    expect(() => store.scan(bucket, { prefix: "", revision: 2 })).toThrow(CompactedError);
    expect(() => store.eventsAfter(bucket, 2)).toThrow(CompactedError);
    expect(() => store.eventsAfter("never written to", 2)).toThrow(CompactedError);
    expect(store.scan(bucket, { prefix: "", revision: 3 }).items.map(valueOf)).toEqual([2]);
    expect(store.eventsAfter(bucket, 3)).toHaveLength(1);
  });

  test("the window is bounded by number and by age", async () => {
    const clock = new VirtualClock();
    const store = new Store({ clock, window: { maxEvents: 16, maxAgeMs: 60_000 } });
    let current: ApiObject | undefined;
    for (let value = 0; value < 100; value++) current = store.put(bucket, "k", current, draft(value));
    expect(() => store.eventsAfter(bucket, 50)).toThrow(CompactedError);
    expect(store.eventsAfter(bucket, store.revision - 16)).toHaveLength(16);
    await clock.advanceBy(61_000);
    const stale = store.revision - 10;
    for (let value = 0; value < 8; value++) current = store.put(bucket, "k", current, draft(value));
    expect(() => store.eventsAfter(bucket, stale)).toThrow(CompactedError);
  });

  test("no list goes on at a state that is older than the window, however few writes there were", async () => {
    const clock = new VirtualClock();
    const store = new Store({ clock, window: { maxEvents: 16, maxAgeMs: 60_000 } });
    const first = store.put(bucket, "k", undefined, draft(1));
    const stale = store.revision;
    store.put(bucket, "k", first, draft(2));
    await clock.advanceBy(30_000);
    store.put("other", "k", undefined, draft(1));
    expect(store.scan(bucket, { prefix: "", revision: stale }).items.map(valueOf)).toEqual([1]);
    await clock.advanceBy(30_000);
    expect(store.scan(bucket, { prefix: "", revision: stale }).items.map(valueOf)).toEqual([1]);
    await clock.advanceBy(30_000);
    expect(() => store.scan(bucket, { prefix: "", revision: stale })).toThrow(CompactedError);
    expect(store.scan(bucket, { prefix: "", revision: store.revision }).items.map(valueOf)).toEqual([2]);
    expect(store.eventsAfter(bucket, stale)).toHaveLength(1);
  });

  test("listeners hear of every write of their bucket, in order, until they unsubscribe", () => {
    const store = newStore();
    const heard: StoredEvent[] = [];
    const unsubscribe = store.subscribe(bucket, (event) => heard.push(event));
    const first = store.put(bucket, "k", undefined, draft(1));
    store.put("other", "k", undefined, draft(1));
    const second = store.put(bucket, "k", first, draft(2));
    if (second !== undefined) store.remove(bucket, "k", second);
    unsubscribe();
    store.put(bucket, "k", undefined, draft(3));
    expect(heard.map(({ type, revision }) => [type, revision])).toEqual([
      ["ADDED", 2],
      ["MODIFIED", 4],
      ["DELETED", 5],
    ]);
    expect(valueOf(heard[2]?.object)).toBe(2);
  });
});
