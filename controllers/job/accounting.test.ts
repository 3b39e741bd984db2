import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import { countReleased, decideAccounting } from "./accounting.ts";
import type { Verdict } from "./conditions.ts";
import { uidOf } from "./job-pods.ts";
import { indexed, job, type PodSketch, pods } from "./samples.test-data.ts";
import { viewOf } from "./view.ts";

const failing: Verdict = { type: "FailureTarget", reason: "BackoffLimitExceeded", message: "" };
const succeeding: Verdict = { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: "" };
const success = (uid: string, rest: PodSketch = {}): PodSketch => ({ uid, phase: "Succeeded", ...rest });
const failure = (uid: string, rest: PodSketch = {}): PodSketch => ({ uid, phase: "Failed", ...rest });

interface Expected {
  readonly status: JobStatus;
  readonly release: string;
}

// upstream: pkg/controller/job/job_controller_test.go#TestTrackJobStatusAndRemoveFinalizers: what is written first
describe("pods that have finished", () => {
  test.for<[string, Job, readonly PodSketch[], Verdict | undefined, Expected]>([
    [
      "are listed and released",
      job(),
      [success("a"), failure("b"), { uid: "c" }],
      undefined,
      { status: { uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } }, release: "a b" },
    ],
    [
      "are listed once",
      job({}, { uncountedTerminatedPods: { succeeded: ["a"] } }),
      [success("a")],
      undefined,
      { status: { uncountedTerminatedPods: { succeeded: ["a"] } }, release: "a" },
    ],
    [
      "are counted when they were released before",
      job({}, { succeeded: 1, failed: 2, uncountedTerminatedPods: { succeeded: ["a"], failed: ["b", "c"] } }),
      [success("a", { tracked: false }), failure("b")],
      undefined,
      { status: { succeeded: 2, failed: 3, uncountedTerminatedPods: { failed: ["b"] } }, release: "b" },
    ],
    [
      "are no failures when they were none before",
      job({}, { uncountedTerminatedPods: { failed: ["a"] } }),
      [success("a")],
      undefined,
      { status: { uncountedTerminatedPods: { failed: ["a"] } }, release: "a" },
    ],
    [
      "have company when the Job fails",
      job(),
      [success("a"), { uid: "b" }],
      failing,
      { status: { uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } }, release: "a b" },
    ],
    [
      "have none when it succeeds",
      indexed(2),
      [success("a", { index: 0 }), { uid: "b", index: 1 }],
      succeeding,
      { status: { succeeded: 1, completedIndexes: "0", uncountedTerminatedPods: {} }, release: "a b" },
    ],
    [
      "are known by their indexes",
      indexed(6, {}, { completedIndexes: "0", succeeded: 1 }),
      [success("a", { index: 3 }), success("b", { index: 0 }), success("c", { index: 7 }), success("d")],
      undefined,
      { status: { succeeded: 2, completedIndexes: "0,3", uncountedTerminatedPods: {} }, release: "d b a c" },
    ],
    [
      "are no failures without an index",
      indexed(6, {}, { succeeded: 0 }),
      [failure("a"), failure("b", { index: 9 }), failure("c", { index: 1 })],
      undefined,
      {
        status: { succeeded: 0, completedIndexes: "", uncountedTerminatedPods: { failed: ["c"] } },
        release: "a c b",
      },
    ],
    [
      "stay when they are the last of an index that is tried again",
      indexed(2, { backoffLimitPerIndex: 2 }),
      [failure("a", { index: 0, failures: 0 })],
      undefined,
      {
        status: { succeeded: 0, completedIndexes: "", failedIndexes: "", uncountedTerminatedPods: {} },
        release: "",
      },
    ],
  ])("%s", ([, subject, sketches, verdict, expected]) => {
    const view = viewOf(asStored(subject), pods(...sketches));
    const { status, toRelease } = decideAccounting(view, verdict, subject.status ?? {});
    expect(status).toEqual(expected.status);
    expect(toRelease.map(uidOf).join(" ")).toBe(expected.release);
  });

  test("are left for later when they are too many", () => {
    const many = pods(...Array.from({ length: 501 }, (_, position) => success(`${position}`)));
    const view = viewOf(job(), many);
    const accounting = decideAccounting(view, undefined, {});
    expect(accounting.toRelease).toHaveLength(500);
    expect(accounting.unfinished).toBe(true);
  });

  test("are not looked at again when only the cache still shows their finalizer", () => {
    const view = viewOf(job(), pods(success("a")), { released: new Set(["a"]) });
    expect(decideAccounting(view, undefined, {}).toRelease).toEqual([]);
    const listed = { uncountedTerminatedPods: { succeeded: ["a"] } };
    expect(decideAccounting(view, undefined, listed).status.succeeded).toBe(1);
  });

  test("are released as the last of their index only where nothing can replace them", () => {
    const subject = indexed(1, { backoffLimitPerIndex: 3 });
    const releasedWhen = (namespaceLeaves: boolean): readonly string[] => {
      const last = pods(failure("a", { index: 0, failures: 0 }));
      const view = viewOf(subject, last, { namespaceLeaves });
      return decideAccounting(view, undefined, {}).toRelease.map(uidOf);
    };
    expect(releasedWhen(false)).toEqual([]);
    expect(releasedWhen(true)).toEqual(["a"]);
  });

  test("of a Job that is being deleted are released in any state", () => {
    const base = job();
    const leaving = { ...base, metadata: { ...base.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    const view = viewOf(leaving, pods({ uid: "a" }));
    const { toRelease, status } = decideAccounting(view, undefined, {});
    expect(toRelease.map(uidOf)).toEqual(["a"]);
    expect(status).toEqual({ uncountedTerminatedPods: {} });
  });
});

test("a status in which nothing was released is the same", () => {
  const status = { uncountedTerminatedPods: { succeeded: ["a"] } };
  expect(countReleased(status, new Set(["a"]))).toBe(status);
});
