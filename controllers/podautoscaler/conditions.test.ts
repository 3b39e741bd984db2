import { expect, test } from "vitest";
import { withCondition } from "./conditions.ts";
import type { NewCondition } from "./normalize.ts";

const before = { type: "ScalingActive", status: "True", reason: "Old", message: "old" };
const EARLIER = "2026-11-19T08:00:00Z";
const NOW = "2026-11-19T09:00:00Z";

test.each<[string, NewCondition["status"], string]>([
  ["that says something else keeps its time", "True", EARLIER],
  ["that is another way round has a new one", "False", NOW],
])("a condition %s, and its place", (_, status, time) => {
  const others = { ...before, type: "AbleToScale", lastTransitionTime: EARLIER };
  const next: NewCondition = { type: "ScalingActive", status, reason: "New", message: "new" };
  expect(withCondition([{ ...before, lastTransitionTime: EARLIER }, others], next, Date.parse(NOW))).toEqual([
    { ...next, lastTransitionTime: time },
    others,
  ]);
});

test("a condition that was not there comes last, with the time", () => {
  const next: NewCondition = { type: "AbleToScale", status: "True", reason: "New", message: "new" };
  expect(withCondition([before], next, Date.parse(NOW))).toEqual([
    before,
    { ...next, lastTransitionTime: NOW },
  ]);
});
