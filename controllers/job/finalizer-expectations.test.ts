import { expect, test } from "vitest";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { FinalizerExpectations } from "./finalizer-expectations.ts";

// upstream: pkg/controller/job/tracking_utils_test.go#TestUIDTrackingExpectations
test("each Job waits for its own pods, until they are seen or the Job is gone", () => {
  const expectations = new FinalizerExpectations();
  const rounds: readonly (readonly [string, string, string])[] = [
    ["foo", "a b c d", "e f"],
    ["bar", "x y z", "u v w"],
    ["baz", "w", "a"],
  ];
  const awaited = (name: string): string => [...expectations.awaited(named(name))].toSorted().join(" ");
  for (const [job, first] of rounds) expectations.expectRemoval(named(job), first.split(" "));
  for (const [job, first] of rounds) expect(awaited(job)).toBe(first);
  for (const [job, first, second] of rounds) {
    expectations.expectRemoval(named(job), second.split(" "));
    for (const uid of first.split(" ")) expectations.removalObserved(named(job), uid);
  }
  for (const [job, , second] of rounds) expect(awaited(job)).toBe(second);
  for (const [job] of rounds) expectations.delete(named(job));
  for (const [job] of rounds) expect(awaited(job)).toBe("");
});

test("what is seen later does not change an answer", () => {
  const expectations = new FinalizerExpectations();
  expectations.expectRemoval(named("job"), ["a"]);
  const before = expectations.awaited(named("job"));
  expectations.removalObserved(named("job"), "a");
  expect([...before]).toEqual(["a"]);
});

test("a Job that was made anew under the name of another awaits nothing of it", () => {
  const expectations = new FinalizerExpectations();
  expectations.expectRemoval(named("job"), ["a"]);
  const anew = named("job", "uid of the second");
  expect(expectations.awaited(anew).size).toBe(0);
  expectations.removalObserved(anew, "a");
  expect(expectations.isAwaited(named("job"), "a")).toBe(true);
});

function named(name: string, uid = `uid of ${name}`): Job {
  return { metadata: { namespace: "default", name, uid } };
}
