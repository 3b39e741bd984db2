import { describe, expect, test } from "vitest";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { CurrentTtl, TTL_ANNOTATION, ttlOf } from "./current-ttl.ts";

function node(ttl?: string): Node {
  return { metadata: { name: "a", ...(ttl !== undefined && { annotations: { [TTL_ANNOTATION]: ttl } }) } };
}

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["60", 60],
  ["+15", 15],
  ["015", 15],
  ["-0", 0],
  ["15s", undefined],
  ["1e2", undefined],
  [" 15", undefined],
  ["9223372036854775808", undefined],
])("the TTL of a node that is annotated with %j is %j", (ttl, expected) => {
  expect(ttlOf(node(ttl))).toBe(expected);
});

test("all nodes are told of a new size, and of it only", () => {
  const ttl = new CurrentTtl();
  const changes = Array.from({ length: 101 }, () => ttl.count(1));
  expect(changes.flatMap((changed, index) => (changed ? [index + 1] : []))).toEqual([101]);
  expect(ttl).toMatchObject({ nodes: 101, seconds: 15 });
  expect(Array.from({ length: 11 }, () => ttl.count(-1))).not.toContain(true);
  expect(ttl.count(-1)).toBe(true);
  expect(ttl).toMatchObject({ nodes: 89, seconds: 0 });
});

describe("a process that takes over", () => {
  test.each<[string, nodes: number, has: readonly (string | undefined)[], expected: number]>([
    ["goes on with what most nodes have", 95, ["0", "15", "15"], 15],
    ["goes on with what most nodes have, if it is the least", 95, ["0", "0", "15"], 0],
    ["begins with the least where nodes have none", 95, [undefined, "soon"], 0],
    ["takes what no cluster of the size has for nothing", 95, ["60", "60"], 0],
    ["corrects what does not fit", 1_500, ["15", "15"], 60],
    ["has nothing to go on from in an empty cluster", 0, [], 0],
  ])("%s", (_, count, has, expected) => {
    const ttl = new CurrentTtl();
    for (let each = 0; each < count; each++) ttl.count(1);
    ttl.takeOver(has.map(node));
    expect(ttl.seconds).toBe(expected);
  });
});
