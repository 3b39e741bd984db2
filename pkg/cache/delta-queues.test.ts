import { describe, expect, test } from "vitest";
import type { ApiObject } from "../api/object.ts";
import type { Delta, DeltaQueue } from "./delta.ts";
import { InOrderQueue } from "./in-order-queue.ts";
import { KeyedQueue } from "./keyed-queue.ts";

interface Valued extends ApiObject {
  readonly value: number;
}

const object = (name: string, value: number): Valued => ({ metadata: { name }, value });
const mapOf = (...objects: Valued[]): Map<string, Valued> =>
  new Map(objects.map((item) => [item.metadata.name ?? "", item]));

/** Deltas as upstream's tests write them: type, key and value; a tombstone is marked. */
function text(delta: Delta<Valued>): string {
  if (delta.type === "ReplacedAll")
    return `ReplacedAll ${[...delta.objects.keys()].join(",")} ${delta.resourceVersion}`;
  if (delta.type === "SyncAll") return "SyncAll";
  if (delta.type === "Bookmark") return `Bookmark ${delta.resourceVersion}`;
  const missed = delta.type === "Deleted" && delta.missed ? " missed" : "";
  return `${delta.type} ${delta.key} ${delta.object.value}${missed}`;
}

function popAll(queue: DeltaQueue<Valued>): string[][] {
  const batches: string[][] = [];
  for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
    batches.push(batch.deltas.map(text));
    queue.done();
  }
  return batches;
}

const foo2 = object("foo", 2);
const foo3 = object("foo", 3);
type Operations = (queue: DeltaQueue<Valued>) => void;

describe("the keyed queue", () => {
  const known = mapOf(object("foo", 5), object("bar", 6), object("baz", 7));

  test.each<{ what: string; run: Operations; knows?: Map<string, Valued>; batches: string[][] }>([
    {
      what: "hands over all that happened to an object at once",
      run: (queue) => {
        queue.add(object("foo", 10));
        queue.update(object("foo", 12));
        queue.delete(object("foo", 15));
      },
      batches: [["Added foo 10", "Updated foo 12", "Deleted foo 15"]],
    },
    {
      what: "keeps keys in the order in which they were first queued",
      run: (queue) => {
        queue.add(object("foo", 10));
        queue.add(object("bar", 1));
        queue.add(object("foo", 11));
      },
      batches: [["Added foo 10", "Added foo 11"], ["Added bar 1"]],
    },
    {
      what: "queues a replacement behind a deletion of the same object",
      knows: mapOf(object("foo", 1)),
      run: (queue) => {
        queue.delete(object("foo", 1));
        queue.replace(mapOf(foo2), "1");
      },
      batches: [["Deleted foo 1", "Replaced foo 2"]],
    },
    {
      what: "deletes what was only queued when a list lacks it",
      run: (queue) => {
        queue.add(foo2);
        queue.replace(mapOf(), "0");
      },
      batches: [["Added foo 2", "Deleted foo 2 missed"]],
    },
    {
      what: "deletes a replaced object once",
      run: (queue) => {
        queue.add(foo2);
        queue.replace(mapOf(foo2), "0");
        queue.replace(mapOf(foo2), "0");
        queue.replace(mapOf(), "0");
        queue.replace(mapOf(), "1");
      },
      batches: [["Added foo 2", "Replaced foo 2", "Replaced foo 2", "Deleted foo 2 missed"]],
    },
    {
      what: "prefers a deletion that was seen to one that was inferred",
      run: (queue) => {
        queue.add(foo2);
        queue.delete(foo2);
        queue.replace(mapOf(), "0");
      },
      batches: [["Added foo 2", "Deleted foo 2"]],
    },
    {
      what: "replaces an inferred deletion by one that is seen later",
      run: (queue) => {
        queue.add(foo2);
        queue.replace(mapOf(), "0");
        queue.delete(foo3);
      },
      batches: [["Added foo 2", "Deleted foo 3"]],
    },
    {
      what: "keeps a deletion and the creation after it apart",
      run: (queue) => {
        queue.add(foo2);
        queue.delete(foo2);
        queue.add(foo3);
        queue.replace(mapOf(), "0");
      },
      batches: [["Added foo 2", "Deleted foo 2", "Added foo 3", "Deleted foo 3 missed"]],
    },
    {
      what: "ignores the deletion of what nobody knows",
      run: (queue) => {
        queue.add(object("qux", 17));
        queue.delete(object("qux", 18));
        queue.delete(object("baz", 20));
      },
      batches: [["Added qux 17", "Deleted qux 18"]],
    },
    {
      what: "queues the deletion of what the store knows",
      knows: known,
      run: (queue) => {
        queue.add(object("foo", 10));
        queue.update(object("bar", 15));
        queue.delete(object("baz", 20));
      },
      batches: [["Added foo 10"], ["Updated bar 15"], ["Deleted baz 20"]],
    },
    {
      what: "makes tombstones of known objects that a list lacks, with the newest state",
      knows: known,
      run: (queue) => {
        queue.delete(object("bar", 6));
        queue.add(object("bar", 100));
        queue.replace(mapOf(object("foo", 5)), "0");
      },
      batches: [
        ["Deleted bar 6", "Added bar 100", "Deleted bar 100 missed"],
        ["Replaced foo 5"],
        ["Deleted baz 7 missed"],
      ],
    },
    {
      what: "lets a resync pass what is not queued",
      knows: known,
      run: (queue) => {
        queue.update(object("foo", 6));
        queue.delete(object("bar", 10));
        queue.resync();
      },
      batches: [["Updated foo 6"], ["Deleted bar 10"], ["Sync baz 7"]],
    },
    { what: "does nothing on a resync of an unknown store", run: (queue) => queue.resync(), batches: [] },
  ])("$what", ({ run, knows, batches }) => {
    const queue = new KeyedQueue<Valued>(knows === undefined ? {} : { known: knows });
    run(queue);
    expect(popAll(queue)).toEqual(batches);
    expect(queue.length).toBe(0);
  });

  test("works with keys of another kind", () => {
    const queue = new KeyedQueue<Valued>({ keyOf: (item) => String(item.value) });
    queue.add(object("a", 1));
    queue.add(object("b", 1));
    expect(popAll(queue)).toEqual([["Added 1 1", "Added 1 1"]]);
  });

  test("lines are not jumped: an object that is queued again keeps its place", () => {
    const queue = new KeyedQueue<Valued>();
    for (const name of ["foo", "bar", "foo", "zab"]) queue.add(object(name, 1));
    queue.pop();
    queue.add(object("foo", 25));
    expect(popAll(queue).map(([first]) => first)).toEqual(["Added bar 1", "Added zab 1", "Added foo 25"]);
  });
});

describe("the in-order queue", () => {
  test.each<{ what: string; run: Operations; batches: string[][] }>([
    {
      what: "starts a new batch with every key that the last one has already",
      run: (queue) => {
        queue.add(object("foo", 10));
        queue.add(object("bar", 1));
        queue.update(object("foo", 12));
        queue.delete(object("foo", 15));
      },
      batches: [["Added foo 10", "Added bar 1"], ["Updated foo 12"], ["Deleted foo 15"]],
    },
    {
      what: "queues deletions of what it does not know",
      run: (queue) => queue.delete(object("baz", 20)),
      batches: [["Deleted baz 20"]],
    },
    {
      what: "gives changes of the whole batches of their own",
      run: (queue) => {
        queue.add(object("a", 1));
        queue.add(object("b", 1));
        queue.replace(mapOf(foo2), "7");
        queue.add(object("c", 1));
        queue.bookmark("8");
        queue.resync();
        queue.add(object("d", 1));
      },
      batches: [
        ["Added a 1", "Added b 1"],
        ["ReplacedAll foo 7"],
        ["Added c 1"],
        ["Bookmark 8"],
        ["SyncAll"],
        ["Added d 1"],
      ],
    },
    {
      what: "keeps the last of several bookmarks in a row",
      run: (queue) => {
        queue.bookmark("1");
        queue.bookmark("2");
        queue.add(object("a", 1));
        queue.bookmark("3");
      },
      batches: [["Bookmark 2"], ["Added a 1"], ["Bookmark 3"]],
    },
  ])("$what", ({ run, batches }) => {
    const queue = new InOrderQueue<Valued>();
    run(queue);
    expect(popAll(queue)).toEqual(batches);
    expect(queue.length).toBe(0);
  });

  test("a batch holds a thousand changes at most, and order is kept over any number of them", () => {
    const queue = new InOrderQueue<Valued>();
    const popped: string[] = [];
    let added = 0;
    const add = (count: number): void => {
      for (let index = 0; index < count; index++) queue.add(object(`o${added++}`, 0));
    };
    add(2_500);
    expect(queue.pop()?.deltas.length).toBe(1_000);
    queue.done();
    add(700);
    for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
      popped.push(...batch.deltas.map(text));
      queue.done();
    }
    expect(popped).toEqual(Array.from({ length: 2_200 }, (_, index) => `Added o${index + 1_000} 0`));
  });
});

describe.each([
  { form: "in-order", make: () => new InOrderQueue<Valued>() },
  { form: "keyed", make: () => new KeyedQueue<Valued>() },
])("the $form queue has synced", ({ make }) => {
  test.each<{ what: string; run: Operations; synced: boolean }>([
    { what: "not before anything came", run: () => undefined, synced: false },
    { what: "when a change came before any list", run: (queue) => queue.add(foo2), synced: true },
    {
      what: "not while the first list is queued",
      run: (queue) => queue.replace(mapOf(foo2), "0"),
      synced: false,
    },
    {
      what: "not while the first list is popped, but not done",
      run: (queue) => {
        queue.replace(mapOf(foo2), "0");
        queue.pop();
      },
      synced: false,
    },
    {
      what: "when the first list is done",
      run: (queue) => {
        queue.replace(mapOf(foo2, object("bar", 1)), "0");
        popAll(queue);
      },
      synced: true,
    },
    {
      what: "still, when a second list is queued",
      run: (queue) => {
        queue.replace(mapOf(foo2), "0");
        popAll(queue);
        queue.replace(mapOf(foo3), "1");
      },
      synced: true,
    },
  ])("$what", ({ run, synced }) => {
    const queue = make();
    run(queue);
    expect(queue.hasSynced).toBe(synced);
  });

  test("what belongs to the first list is marked, and nothing after it", () => {
    const queue = make();
    queue.replace(mapOf(foo2), "0");
    queue.add(object("bar", 1));
    const marks: boolean[] = [];
    for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
      marks.push(batch.initial);
      queue.done();
    }
    expect(marks).toEqual([true, false]);
  });
});

test("a keyed queue is synced at once by an empty list", () => {
  const queue = new KeyedQueue<Valued>();
  queue.replace(mapOf());
  expect(queue.hasSynced).toBe(true);
});

test.each([
  ["in-order", new InOrderQueue<Valued>()],
  ["keyed", new KeyedQueue<Valued>()],
])(
  "a first list that the %s queue's reader could not take in is made up for by the next one alone",
  (_, queue) => {
    queue.replace(mapOf(foo2), "2");
    queue.pop();
    queue.failed();
    expect(queue.hasSynced).toBe(false);
    queue.update(foo3);
    popAll(queue);
    expect(queue.hasSynced).toBe(false);
    queue.replace(mapOf(foo2), "4");
    expect(queue.hasSynced).toBe(false);
    expect(queue.pop()?.initial).toBe(true);
    queue.done();
    expect(queue.hasSynced).toBe(true);
    queue.update(foo3);
    queue.pop();
    queue.failed();
    expect(queue.hasSynced).toBe(true);
  },
);
