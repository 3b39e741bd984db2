import { describe, expect, test } from "vitest";
import type { ApiObject } from "../../api/object.ts";
import { keyOf } from "../../api/object.ts";
import type { Delta } from "../feed/delta.ts";
import { DeltaQueue } from "./delta-queue.ts";

interface Valued extends ApiObject {
  readonly value: number;
}

const object = (name: string, value: number): Valued => ({ metadata: { name }, value });
const mapOf = (...objects: Valued[]): Map<string, Valued> =>
  new Map(objects.map((item) => [item.metadata.name ?? "", item]));

const set = (item: Valued): Delta<Valued> => ({ type: "set", key: keyOf(item), object: item });
const remove = (item: Valued): Delta<Valued> => ({ type: "delete", key: keyOf(item), object: item });
const bookmark = (resourceVersion: string): Delta<Valued> => ({ type: "bookmark", resourceVersion });
const replace = (objects: Map<string, Valued>, resourceVersion: string): Delta<Valued> => ({
  type: "replace",
  objects,
  resourceVersion,
});

/** Deltas as upstream's tests write them: type, key and value. */
function text(delta: Delta<Valued>): string {
  if (delta.type === "replace")
    return `replace ${[...delta.objects.keys()].join(",")} ${delta.resourceVersion}`;
  if (delta.type === "resync") return "resync";
  if (delta.type === "bookmark") return `bookmark ${delta.resourceVersion}`;
  return `${delta.type} ${delta.key} ${delta.object.value}`;
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

describe("the queue", () => {
  test.each<{ what: string; run: Operations; batches: string[][] }>([
    {
      what: "starts a new batch with every key that the last one has already",
      run: (queue) => {
        queue.push(set(object("foo", 10)));
        queue.push(set(object("bar", 1)));
        queue.push(set(object("foo", 12)));
        queue.push(remove(object("foo", 15)));
      },
      batches: [["set foo 10", "set bar 1"], ["set foo 12"], ["delete foo 15"]],
    },
    {
      what: "queues deletions of what it does not know",
      run: (queue) => queue.push(remove(object("baz", 20))),
      batches: [["delete baz 20"]],
    },
    {
      what: "gives changes of the whole batches of their own",
      run: (queue) => {
        queue.push(set(object("a", 1)));
        queue.push(set(object("b", 1)));
        queue.push(replace(mapOf(foo2), "7"));
        queue.push(set(object("c", 1)));
        queue.push(bookmark("8"));
        queue.push({ type: "resync" });
        queue.push(set(object("d", 1)));
      },
      batches: [
        ["set a 1", "set b 1"],
        ["replace foo 7"],
        ["set c 1"],
        ["bookmark 8"],
        ["resync"],
        ["set d 1"],
      ],
    },
    {
      what: "keeps the last of several bookmarks in a row",
      run: (queue) => {
        queue.push(bookmark("1"));
        queue.push(bookmark("2"));
        queue.push(set(object("a", 1)));
        queue.push(bookmark("3"));
      },
      batches: [["bookmark 2"], ["set a 1"], ["bookmark 3"]],
    },
  ])("$what", ({ run, batches }) => {
    const queue = new DeltaQueue<Valued>();
    run(queue);
    expect(popAll(queue)).toEqual(batches);
    expect(queue.length).toBe(0);
  });

  test("a batch holds a thousand changes at most, and order is kept over any number of them", () => {
    const queue = new DeltaQueue<Valued>();
    const popped: string[] = [];
    let added = 0;
    const add = (count: number): void => {
      for (let index = 0; index < count; index++) queue.push(set(object(`o${added++}`, 0)));
    };
    add(2_500);
    expect(queue.pop()?.deltas.length).toBe(1_000);
    queue.done();
    add(700);
    for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
      popped.push(...batch.deltas.map(text));
      queue.done();
    }
    expect(popped).toEqual(Array.from({ length: 2_200 }, (_, index) => `set o${index + 1_000} 0`));
  });
});

describe("the queue has synced", () => {
  test.each<{ what: string; run: Operations; synced: boolean }>([
    { what: "not before anything came", run: () => undefined, synced: false },
    { what: "when a change came before any list", run: (queue) => queue.push(set(foo2)), synced: true },
    {
      what: "not while the first list is queued",
      run: (queue) => queue.push(replace(mapOf(foo2), "0")),
      synced: false,
    },
    {
      what: "not while the first list is popped, but not done",
      run: (queue) => {
        queue.push(replace(mapOf(foo2), "0"));
        queue.pop();
      },
      synced: false,
    },
    {
      what: "when the first list is done",
      run: (queue) => {
        queue.push(replace(mapOf(foo2, object("bar", 1)), "0"));
        popAll(queue);
      },
      synced: true,
    },
    {
      what: "still, when a second list is queued",
      run: (queue) => {
        queue.push(replace(mapOf(foo2), "0"));
        popAll(queue);
        queue.push(replace(mapOf(foo3), "1"));
      },
      synced: true,
    },
  ])("$what", ({ run, synced }) => {
    const queue = new DeltaQueue<Valued>();
    run(queue);
    expect(queue.hasSynced).toBe(synced);
  });

  test("what belongs to the first list is marked, and nothing after it", () => {
    const queue = new DeltaQueue<Valued>();
    queue.push(replace(mapOf(foo2), "0"));
    queue.push(set(object("bar", 1)));
    const marks: boolean[] = [];
    for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
      marks.push(batch.initial);
      queue.done();
    }
    expect(marks).toEqual([true, false]);
  });
});

test("a first list that the reader could not take in is made up for by the next one alone", () => {
  const queue = new DeltaQueue<Valued>();
  queue.push(replace(mapOf(foo2), "2"));
  queue.pop();
  queue.failed();
  expect(queue.hasSynced).toBe(false);
  queue.push(set(foo3));
  popAll(queue);
  expect(queue.hasSynced).toBe(false);
  queue.push(replace(mapOf(foo2), "4"));
  expect(queue.hasSynced).toBe(false);
  expect(queue.pop()?.initial).toBe(true);
  queue.done();
  expect(queue.hasSynced).toBe(true);
  queue.push(set(foo3));
  queue.pop();
  queue.failed();
  expect(queue.hasSynced).toBe(true);
});
