import { expect, test } from "vitest";
import { FinalizerExpectations } from "./finalizer-expectations.ts";

// upstream: pkg/controller/job/tracking_utils_test.go#TestUIDTrackingExpectations
test("each Job waits for its own pods, until they are seen or the Job is gone", () => {
  const expectations = new FinalizerExpectations();
  const rounds: readonly (readonly [string, string, string])[] = [
    ["foo", "a b c d", "e f"],
    ["bar", "x y z", "u v w"],
    ["baz", "w", "a"],
  ];
  const awaited = (job: string): string => [...expectations.awaited(job)].toSorted().join(" ");
  for (const [job, first] of rounds) expectations.expectRemoval(job, first.split(" "));
  for (const [job, first] of rounds) expect(awaited(job)).toBe(first);
  for (const [job, first, second] of rounds) {
    expectations.expectRemoval(job, second.split(" "));
    for (const uid of first.split(" ")) expectations.removalObserved(job, uid);
  }
  for (const [job, , second] of rounds) expect(awaited(job)).toBe(second);
  for (const [job] of rounds) expectations.delete(job);
  for (const [job] of rounds) expect(awaited(job)).toBe("");
});

test("what is seen later does not change an answer", () => {
  const expectations = new FinalizerExpectations();
  expectations.expectRemoval("job", ["a"]);
  const before = expectations.awaited("job");
  expectations.removalObserved("job", "a");
  expect([...before]).toEqual(["a"]);
});
