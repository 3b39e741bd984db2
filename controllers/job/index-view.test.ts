import { describe, expect, test } from "vitest";
import { isPodActive } from "../../pkg/api/pod.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { type IndexView, indexViewOf } from "./index-view.ts";
import { uidOf } from "./job-pods.ts";
import { indexed, NOW_MS, type PodSketch, pods } from "./samples.test-data.ts";

describe("indexes that have succeeded", () => {
  // upstream: pkg/controller/job/indexed_job_utils_test.go#TestCalculateSucceededIndexes
  // Pods are written as index and first letter of the phase; "-" has no index.
  test.for<[string, string, string, number, string, string]>([
    ["one", "", "1S", 2, "", "1"],
    ["two apart", "", "2F 5S 5S 10F 10S", 11, "", "5,10"],
    ["two ranges", "", "0R 1P 2S 3S 5S 6S 7S", 8, "", "2,3,5-7"],
    ["one and a range", "", "0S 1F 2S 3S 4S 5S -S -2S", 6, "", "0,2-5"],
    ["one too great", "", "0S 1S 2S 3F 4S 5S -S -2S", 5, "", "0-2,4"],
    ["before, too great", "0-5,8-10", "", 8, "0-5", "0-5"],
    ["before, in part too great", "0-5,8-10", "", 10, "0-5,8,9", "0-5,8,9"],
    ["before and new, apart", "0,4,5,10-12", "2S 7S 8S", 13, "0,4,5,10-12", "0,2,4,5,7,8,10-12"],
    ["before between new", "3,4,6", "2S 7S 8S", 9, "3,4,6", "2-4,6-8"],
    ["new between before", "2,7,8", "3S 4S 6S", 9, "2,7,8", "2-4,6-8"],
    ["new within before", "2-7", "0S 3S 5S 9S", 10, "2-7", "0,2-7,9"],
    ["after a text that is broken", "0,1-foo,bar", "3S", 4, "0", "0,3"],
  ])("%s", ([, completedIndexes, sketch, completions, before, after]) => {
    const view = viewOf(indexed(completions, {}, { completedIndexes }), podsOf(sketch));
    expect([view.succeededBefore.toString(), view.succeeded.toString()]).toEqual([before, after]);
  });
});

describe("indexes that have failed", () => {
  const tried = (index: number, failures: number, rest: PodSketch = {}): PodSketch => ({
    index,
    failures,
    phase: "Failed",
    ...rest,
  });

  // upstream: pkg/controller/job/indexed_job_utils_test.go#TestCalculateFailedIndexes, #TestIsIndexFailed
  test.for<[string, number, string | undefined, readonly PodSketch[], string]>([
    ["at the limit", 1, undefined, [tried(0, 0), tried(1, 1)], "1"],
    ["at a limit of 0", 0, undefined, [tried(0, 0)], "0"],
    ["counted before", 0, undefined, [tried(0, 0, { tracked: false })], ""],
    ["too great", 0, undefined, [tried(3, 0)], ""],
    ["beside earlier ones", 0, "0", [tried(1, 0)], "0,1"],
    ["beside none", 0, "", [tried(1, 0)], "1"],
    ["beside one that is too great", 0, "9", [tried(1, 0)], "1"],
  ])("%s", ([, backoffLimitPerIndex, failedIndexes, sketches, expected]) => {
    const status = failedIndexes === undefined ? {} : { failedIndexes };
    const view = viewOf(indexed(2, { backoffLimitPerIndex }, status), sketches);
    expect(view.failed?.toString()).toBe(expected);
  });

  // upstream: pkg/controller/job/indexed_job_utils_test.go#TestIsIndexFailed
  test("by a rule, before the limit", () => {
    const rules = [{ action: "FailIndex", onExitCodes: { operator: "In", values: [3] } }];
    const subject = indexed(2, { backoffLimitPerIndex: 1, podFailurePolicy: { rules } });
    expect(viewOf(subject, [tried(0, 0, { exitCode: 3 })]).failed?.toString()).toBe("0");
    expect(viewOf(subject, [tried(0, 0, { exitCode: 4 })]).failed?.toString()).toBe("");
  });

  // upstream: pkg/controller/job/indexed_job_utils_test.go#TestGetPodsWithDelayedDeletionPerIndex
  test.for<[string, number, number, readonly PodSketch[], readonly string[], string]>([
    [
      "of indexes that are tried again",
      3,
      1,
      [tried(0, 0, { uid: "a" }), tried(1, 1, { uid: "b" }), tried(2, 0, { uid: "c" })],
      [],
      "a c",
    ],
    ["no pod without finalizer", 2, 0, [tried(0, 0, { uid: "a", tracked: false })], [], ""],
    ["no pod that is released", 2, 0, [tried(0, 0, { uid: "a" })], ["a"], ""],
    ["no pod of an index that is too great", 2, 0, [tried(4, 0, { uid: "a" })], [], ""],
    [
      "no pod that is replaced",
      2,
      1,
      [tried(0, 0, { uid: "a1" }), tried(0, 1, { uid: "a2", phase: "Running" })],
      [],
      "",
    ],
    [
      "no pod of an index that succeeded",
      2,
      1,
      [tried(0, 0, { uid: "a1" }), tried(0, 1, { uid: "a2", phase: "Succeeded" })],
      [],
      "",
    ],
    [
      "the one with most failures",
      2,
      4,
      [tried(0, 0, { uid: "a1" }), tried(0, 2, { uid: "a3" }), tried(0, 1, { uid: "a2" })],
      [],
      "a3",
    ],
    [
      "the last one",
      2,
      4,
      [
        tried(0, 1, { uid: "a1", deletedMs: NOW_MS - 1_000 }),
        tried(0, 1, { uid: "a3", deletedMs: NOW_MS }),
        tried(0, 1, { uid: "a2", deletedMs: NOW_MS - 2_000 }),
      ],
      [],
      "a3",
    ],
  ])("are witnessed by %s", ([, completions, limit, sketches, released, expected]) => {
    const view = viewOf(indexed(completions, { backoffLimitPerIndex: limit }), sketches, new Set(released));
    expect([...view.lastFailed.values()].map(uidOf).join(" ")).toBe(expected);
  });
});

function viewOf(
  job: Job,
  sketches: readonly PodSketch[],
  released: ReadonlySet<string> = new Set(),
): IndexView {
  const all = pods(...sketches);
  return indexViewOf(job, all, all.filter(isPodActive), released);
}

function podsOf(sketch: string): readonly PodSketch[] {
  const phases: Readonly<Record<string, string>> = {
    S: "Succeeded",
    F: "Failed",
    R: "Running",
    P: "Pending",
  };
  return sketch
    .split(" ")
    .filter((each) => each !== "")
    .map((each) => {
      const index = each.slice(0, -1);
      return { ...(index !== "-" && { index }), phase: phases[each.slice(-1)] ?? "" };
    });
}
