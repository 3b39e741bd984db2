import { expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { gracePeriodSeconds, recheckAfterMs, remainderOf, unexpiredEstimate } from "./remaining.ts";

const plain = { metadata: { name: "a" } };
const held = { metadata: { name: "b", finalizers: ["x", "y"] } };

test.each([
  ["nothing, whatever was estimated", [], 30, { count: 0, estimateSeconds: 0, unexpected: false }],
  ["objects that take their time", [plain], 30, { count: 1, estimateSeconds: 30, unexpected: false }],
  ["objects that something holds", [plain, held], 0, { count: 2, estimateSeconds: 15, unexpected: false }],
  ["both: the estimate counts", [held], 30, { count: 1, estimateSeconds: 30, unexpected: false }],
  ["objects that nothing holds", [plain], 0, { count: 1, estimateSeconds: 0, unexpected: true }],
])("what remains: %s", (_, objects, estimate, expected) => {
  expect(remainderOf(resources.configMaps, objects, estimate)).toMatchObject(expected);
});

test("finalizers are counted by the objects that they hold", () => {
  const { finalizers } = remainderOf(resources.configMaps, [plain, held, held], 0);
  expect([...finalizers]).toEqual([
    ["x", 2],
    ["y", 2],
  ]);
});

test.each<[Pod["status"], number | undefined, number]>([
  [{ phase: "Running" }, 30, 30],
  [{ phase: "Pending" }, 5, 5],
  [{ phase: "Running" }, undefined, 0],
  [{ phase: "Succeeded" }, 30, 0],
  [{ phase: "Failed" }, 30, 0],
])("a pod with status %j and a grace period of %s s may take %d s", (status, grace, expected) => {
  const spec = { containers: [], ...(grace !== undefined && { terminationGracePeriodSeconds: grace }) };
  expect(gracePeriodSeconds({ metadata: {}, spec, ...(status && { status }) })).toBe(expected);
});

test.each([
  [30, 29_999, 30],
  [30, 30_000, 0],
  [0, 0, 0],
])("an estimate of %d s is %d ms later worth %d s", (estimate, sinceMs, expected) => {
  expect(unexpiredEstimate(estimate, 1_000, 1_000 + sinceMs)).toBe(expected);
});

test.each([
  [1, 1_000],
  [15, 8_000],
  [30, 16_000],
])("with an estimate of %d s the namespace is looked at again after %d ms", (estimate, expected) => {
  expect(recheckAfterMs(estimate)).toBe(expected);
});
