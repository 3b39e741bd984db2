import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { JobCondition } from "../../pkg/api/types/batch-v1.gen.ts";
import { announce, finish, newCondition, withCondition } from "./conditions.ts";
import { NOW_MS } from "./samples.test-data.ts";

const condition = (status: string, reason: string): JobCondition =>
  newCondition({ type: "Suspended", reason, message: "" }, status, NOW_MS);

// upstream: pkg/controller/job/job_controller_test.go#TestEnsureJobConditions
describe("a condition", () => {
  test.each<[string, readonly JobCondition[], JobCondition, readonly JobCondition[]]>([
    ["is added when it is true", [], condition("True", "foo"), [condition("True", "foo")]],
    ["is not added when it is false", [], condition("False", "foo"), []],
    ["gets another reason", [condition("True", "foo")], condition("True", "bar"), [condition("True", "bar")]],
    ["becomes false", [condition("True", "foo")], condition("False", "foo"), [condition("False", "foo")]],
    ["becomes true", [condition("False", "foo")], condition("True", "foo"), [condition("True", "foo")]],
  ])("%s", (_, before, next, after) => {
    expect(withCondition(before, next)).toEqual(after);
  });

  test.each([["True"], ["False"]])("that is %s already changes nothing, whatever its time", (status) => {
    const before = [condition(status, "foo")];
    const next = newCondition({ type: "Suspended", reason: "foo", message: "" }, status, NOW_MS + 1);
    expect(withCondition(before, next)).toBe(before);
  });
});

test("an end that was announced is not announced again", () => {
  const verdict = { type: "FailureTarget", reason: "why", message: "" } as const;
  const first = announce({}, verdict, NOW_MS);
  expect(first.changed).toBe(true);
  expect(announce(first.status, verdict, NOW_MS + 1)).toEqual({ ...first, changed: false });
});

test.each([
  ["after its start", NOW_MS - 5_000, NOW_MS],
  ["at its start, for whoever has a clock that is behind", NOW_MS + 5_000, NOW_MS + 5_000],
  ["now, when nobody noted its start", undefined, NOW_MS],
])("a Job ends %s", (_, startMs, endMs) => {
  const started = startMs === undefined ? {} : { startTime: formatTime(startMs) };
  const { startTime, completionTime, conditions } = finish(
    started,
    { type: "Complete", reason: "", message: "" },
    NOW_MS,
  );
  expect(startTime).toBe(formatTime(startMs ?? NOW_MS));
  expect(completionTime).toBe(formatTime(endMs));
  expect(conditions?.[0]?.lastTransitionTime).toBe(formatTime(endMs));
});
