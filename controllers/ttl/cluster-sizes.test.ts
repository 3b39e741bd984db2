import { expect, test } from "vitest";
import { nextTtlSeconds } from "./cluster-sizes.ts";

// upstream: pkg/controller/ttl/ttl_controller_test.go#TestDesiredTTL
test.each<[nodes: number, before: number, expected: number]>([
  [1, 0, 0],
  [100, 0, 0],
  [101, 0, 15],
  [100, 15, 15],
  [90, 15, 15],
  [92, 15, 15],
  [89, 15, 0],
  [1_799, 300, 60],
  [9_999, 300, 300],
])("a cluster that comes to have %d nodes, with %d s before, has %d s", (nodes, before, expected) => {
  expect(nextTtlSeconds(nodes, before)).toBe(expected);
});

test("each size ends where the next must have begun, on the way up and down", () => {
  const changes = (from: number, to: number, before: number): number[] => {
    const found: number[] = [];
    let ttl = before;
    for (let nodes = from; nodes !== to; nodes += Math.sign(to - from)) {
      const next = nextTtlSeconds(nodes, ttl);
      if (next !== ttl) found.push(nodes, next);
      ttl = next;
    }
    return found;
  };
  expect(changes(0, 5_000, 0)).toEqual([101, 15, 501, 30, 1_001, 60, 2_001, 300]);
  expect(changes(5_000, -1, 300)).toEqual([1_799, 60, 899, 30, 449, 15, 89, 0]);
});
