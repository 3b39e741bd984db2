import fc from "fast-check";
import { expect, test } from "vitest";
import { DelayHeap } from "./delay-heap.ts";

function drain(heap: DelayHeap<string, number>, nowMs = Infinity): string[] {
  const keys: string[] = [];
  for (let due = heap.shiftDue(nowMs); due !== undefined; due = heap.shiftDue(nowMs)) keys.push(due.key);
  return keys;
}

test("gives only what is due, earliest first, equal times in order of insertion", () => {
  const heap = new DelayHeap<string, number>();
  heap.insert("late", 0, 30);
  heap.insert("first", 0, 10);
  heap.insert("second", 0, 10);
  heap.insert("third", 0, 20);
  expect(heap.firstDueMs).toBe(10);
  expect(drain(heap, 9)).toEqual([]);
  expect(drain(heap, 20)).toEqual(["first", "second", "third"]);
  expect(drain(heap)).toEqual(["late"]);
  expect(heap.firstDueMs).toBe(Infinity);
});

test("inserting a waiting key replaces its value and only ever shortens its time", () => {
  const heap = new DelayHeap<string, number>();
  heap.insert("key", 1, 50);
  heap.insert("other", 1, 40);
  heap.insert("key", 2, 70);
  expect([heap.size, heap.firstDueMs, heap.get("key")]).toEqual([2, 40, 2]);
  heap.insert("key", 3, 30);
  expect(heap.shiftDue(30)).toMatchObject({ key: "key", value: 3 });
  expect(heap.get("key")).toBeUndefined();
});

test("agrees with a sorted map for any sequence of inserts and shifts", () => {
  const insert = fc.record({ key: fc.integer({ min: 0, max: 20 }), dueMs: fc.integer({ min: 0, max: 50 }) });
  const shift = fc.record({ nowMs: fc.integer({ min: 0, max: 50 }) });
  fc.assert(
    fc.property(fc.array(fc.oneof(insert, shift), { maxLength: 200 }), (steps) => {
      const heap = new DelayHeap<number, number>();
      const model = new Map<number, number>();
      for (const step of steps) {
        if ("key" in step) {
          heap.insert(step.key, 0, step.dueMs);
          model.set(step.key, Math.min(model.get(step.key) ?? Infinity, step.dueMs));
          continue;
        }
        // A key that shortened its time keeps its place among equals only by order of first insertion: compare times.
        const earliestMs = Math.min(Infinity, ...model.values());
        const due = heap.shiftDue(step.nowMs);
        if (earliestMs > step.nowMs) expect(due).toBeUndefined();
        else {
          expect(model.get(due?.key ?? -1)).toBe(earliestMs);
          model.delete(due?.key ?? -1);
        }
      }
      expect(heap.size).toBe(model.size);
    }),
  );
});
