import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Entry, FairLine, type Line, fifoLine, namespaceOfKey } from "./line.ts";
import { BACKGROUND_TURN, PriorityLine } from "./priority-line.ts";
import type { Priority } from "./queue.ts";

function entryOf(key: string, priority: Priority = "live"): Entry<string> {
  return {
    key,
    priority,
    processing: false,
    again: undefined,
    group: undefined,
    addedMs: 0,
    startedMs: 0,
    previous: undefined,
    next: undefined,
  };
}

function keysOf(line: Line<string>): string[] {
  const keys: string[] = [];
  for (let entry = line.shift(); entry !== undefined; entry = line.shift()) keys.push(entry.key);
  return keys;
}

test.each([
  ["ns/name", "ns"],
  ["name", ""],
  ["ns/name/rest", "ns"],
  [7, ""],
])("the group of %j is the namespace %j", (key, namespace) => {
  expect(namespaceOfKey(key)).toBe(namespace);
});

describe("fair line", () => {
  test("groups take turns; within a group, first come first served", () => {
    const line = new FairLine<string>(namespaceOfKey);
    for (const key of ["a/1", "a/2", "a/3", "b/1", "c/1", "c/2"]) line.push(entryOf(key));
    expect(keysOf(line)).toEqual(["a/1", "b/1", "c/1", "a/2", "c/2", "a/3"]);
  });

  test("one busy namespace does not hold up another", () => {
    const line = new FairLine<string>(namespaceOfKey);
    for (let index = 0; index < 10_000; index++) line.push(entryOf(`busy/${index}`));
    line.push(entryOf("quiet/1"));
    expect([line.shift()?.key, line.shift()?.key]).toEqual(["busy/0", "quiet/1"]);
  });

  test("a removed entry is gone, and an emptied group leaves the round", () => {
    const line = new FairLine<string>(namespaceOfKey);
    const [alone, middle] = [entryOf("b/1"), entryOf("a/2")];
    for (const entry of [entryOf("a/1"), middle, entryOf("a/3"), alone, entryOf("c/1")]) line.push(entry);
    line.remove(alone);
    line.remove(middle);
    expect([line.length, line.groupCount]).toEqual([3, 2]);
    expect(keysOf(line)).toEqual(["a/1", "c/1", "a/3"]);
  });

  test("holds no group once namespaces have come and gone", () => {
    const line = new FairLine<string>(namespaceOfKey);
    for (let index = 0; index < 1_000; index++) {
      const removed = entryOf(`removed-${index}/1`);
      line.push(removed);
      line.push(entryOf(`served-${index}/1`));
      line.push(entryOf(`served-${index}/2`));
      line.remove(removed);
      keysOf(line);
    }
    expect([line.length, line.groupCount]).toEqual([0, 0]);
  });

  test("a key at position p of its group is served within p·G shifts, whatever comes and goes", () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) },
      { weight: 2, arbitrary: fc.constant("shift" as const) },
      { weight: 1, arbitrary: fc.constant("remove" as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const line = new FairLine<string>(namespaceOfKey);
        const waiting: { entry: Entry<string>; position: number; since: number; mostGroups: number }[] = [];
        let shifts = 0;
        for (const [index, step] of steps.entries()) {
          if (typeof step === "number") {
            const ahead = waiting.filter(({ entry }) => namespaceOfKey(entry.key) === `g${step}`).length;
            const entry = entryOf(`g${step}/${index}`);
            line.push(entry);
            waiting.push({ entry, position: ahead + 1, since: shifts, mostGroups: 0 });
            for (const one of waiting) one.mostGroups = Math.max(one.mostGroups, line.groupCount);
          } else if (step === "remove") {
            const [gone] = waiting.splice(Math.floor(waiting.length / 2), 1);
            if (gone !== undefined) line.remove(gone.entry);
          } else {
            const taken = line.shift();
            if (taken !== undefined) shifts++;
            const found = waiting.findIndex(({ entry }) => entry === taken);
            if (found < 0) {
              expect(taken).toBeUndefined();
              continue;
            }
            for (const gone of waiting.splice(found, 1))
              expect(shifts - gone.since).toBeLessThanOrEqual(gone.position * gone.mostGroups);
          }
          expect(line.length).toBe(waiting.length);
        }
      }),
    );
  });
});

describe("priority line", () => {
  const fill = (live: number, background: number): PriorityLine<string> => {
    const line = new PriorityLine<string>(fifoLine(), fifoLine());
    for (let index = 0; index < background; index++) line.push(entryOf(`background-${index}`, "background"));
    for (let index = 0; index < live; index++) line.push(entryOf(`live-${index}`));
    return line;
  };

  test("live keys go first, and the last of BACKGROUND_TURN shifts is the background's", () => {
    const keys = keysOf(fill(10, 3));
    expect(keys.indexOf("background-0")).toBe(BACKGROUND_TURN - 1);
    expect(keys.slice(0, BACKGROUND_TURN - 1).every((key) => key.startsWith("live"))).toBe(true);
    expect(keys.slice(-2)).toEqual(["background-1", "background-2"]);
  });

  test("the bounds of both classes hold for random loads", () => {
    const step = fc.constantFrom("live", "background", "shift", "promote" as const);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), fc.nat(100), fc.nat(100), (steps, live, background) => {
        const line = new PriorityLine<string>(fifoLine(), fifoLine());
        const waiting: { entry: Entry<string>; position: number; since: number }[] = [];
        let shifts = 0;
        const arrive = (entry: Entry<string>): void => {
          const position = 1 + waiting.filter((other) => other.entry.priority === entry.priority).length;
          line.push(entry);
          waiting.push({ entry, position, since: shifts });
        };
        for (let index = 0; index < live; index++) arrive(entryOf(`l${index}`));
        for (let index = 0; index < background; index++) arrive(entryOf(`b${index}`, "background"));
        for (const [index, step] of steps.entries()) {
          if (step === "live" || step === "background") arrive(entryOf(String(index), step));
          if (step === "promote") {
            const found = waiting.findIndex(({ entry }) => entry.priority === "background");
            for (const { entry } of found < 0 ? [] : waiting.splice(found, 1)) {
              line.remove(entry);
              entry.priority = "live";
              arrive(entry);
            }
          }
          const taken = step === "shift" ? line.shift() : undefined;
          if (taken === undefined) continue;
          shifts++;
          const found = waiting.findIndex(({ entry }) => entry === taken);
          for (const { entry, position, since } of waiting.splice(found, 1)) {
            const bound =
              entry.priority === "live"
                ? position + Math.ceil(position / (BACKGROUND_TURN - 1))
                : position * BACKGROUND_TURN;
            expect(shifts - since).toBeLessThanOrEqual(bound);
          }
        }
        expect(line.length).toBe(waiting.length);
      }),
    );
  });
});
