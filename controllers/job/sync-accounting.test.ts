import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobSpec, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Verdict } from "./conditions.ts";
import { type Case, count, outcomeOf } from "./counting.test-data.ts";
import { Recorder, refused, syncOf } from "./recorder.test-data.ts";
import { indexed, job, NOW_MS, pod } from "./samples.test-data.ts";
import { countAndFinish } from "./sync-accounting.ts";
import { viewOf } from "./view.ts";
import type { Stored } from "../../pkg/api/object.ts";

const verdict = (type: Verdict["type"]): Verdict => ({ type, reason: "why", message: "" });
const SUCCEEDS = verdict("SuccessCriteriaMet");
const FAILS = verdict("FailureTarget");
const said = (type: string): JobStatus => ({ conditions: [{ type, status: "True", reason: "why" }] });
const uncounted = (
  succeeded: readonly string[],
  failed: readonly string[],
  rest: JobStatus = {},
): Stored<Job> => job({}, { ...rest, uncountedTerminatedPods: { succeeded, failed } });
const six = (spec: Partial<JobSpec> = {}, status: JobStatus = {}): Stored<Job> => indexed(6, spec, status);
const perIndex = { backoffLimitPerIndex: 1 };
const succeededPods = (count: number): string =>
  Array.from({ length: count }, (_, uid) => `${uid}=S`).join(" ");

// upstream: pkg/controller/job/job_controller_test.go#TestTrackJobStatusAndRemoveFinalizers, with the gates of v1.36
describe("pods that have finished are counted", () => {
  test.each<[string, Case]>([
    ["nothing has changed", { writes: [] }],
    [
      "succeeded, failed, or being deleted",
      {
        pods: "a=S b=F c=Sd d=Fd e=Pd f=P g=R",
        writes: ["0 0 [a c|b d e]", "2 3 [|]"],
        released: 5,
        counted: "2 3",
      },
    ],
    [
      "some of them were listed before, and some of these are gone",
      {
        subject: uncounted(["a", "e"], ["b", "f"], { active: 1, succeeded: 2, failed: 3 }),
        pods: "e=Su x=Fu y=P a=S b=F c=S d=F",
        writes: ["3 4 [a c|b d]", "5 6 [|]"],
        released: 4,
        counted: "3 3",
      },
    ],
    [
      "some of them were released, though the cache does not show it",
      {
        subject: uncounted(["a", "g"], ["b", "h"], { succeeded: 2, failed: 3 }),
        pods: "a=S b=F c=S d=F e=S f=F g=S h=F",
        before: { released: ["c", "d", "g", "h"] },
        writes: ["3 4 [a e|b f]", "5 6 [|]"],
        released: 4,
        counted: "3 3",
      },
    ],
    [
      "of a Job that is being deleted, whose other pods are let go uncounted",
      {
        subject: { ...job(), metadata: { ...job().metadata, deletionTimestamp: formatTime(NOW_MS) } },
        pods: "a=S b=F c=R",
        writes: ["0 0 [a|b]", "1 1 [|]"],
        released: 3,
        counted: "1 1",
      },
    ],
    [
      "the status cannot be written",
      { pods: "a=S b=F", before: { statusFails: refused() }, writes: ["0 0 [a|b]"], fails: true },
    ],
    [
      "no finalizer can be taken off",
      { pods: "a=S b=F", before: { podsFail: true }, writes: ["0 0 [a|b]"], released: 2, fails: true },
    ],
    [
      "no finalizer can be taken off, but some were before",
      {
        subject: uncounted(["a"], ["b"]),
        pods: "a=Su c=S d=F",
        before: { podsFail: true },
        writes: ["1 1 [c|d]"],
        released: 2,
        counted: "1 1",
        fails: true,
      },
    ],
    [
      "there are too many for one look",
      {
        subject: uncounted([], ["a", "b"]),
        pods: `${succeededPods(500)} b=F`,
        writes: [`0 1 [${Array.from({ length: 499 }, (_, uid) => uid).join(" ")}|b]`, "499 1 [|b]"],
        released: 499,
        counted: "499 1",
      },
    ],
  ])("%s", count);
});

// upstream: the same function's cases of Jobs that end
describe("a Job that ends", () => {
  test.each<[string, Case]>([
    [
      "well counts as they are those that ended",
      {
        pods: "a=S b=F c=P",
        verdict: SUCCEEDS,
        writes: ["0 0 [a|b] SuccessCriteriaMet", "1 1 [|] SuccessCriteriaMet Complete"],
        released: 3,
        counted: "1 1",
      },
    ],
    [
      "well, as was said before, is complete once all are counted",
      {
        subject: job({}, said("SuccessCriteriaMet")),
        pods: "a=S b=F",
        verdict: SUCCEEDS,
        writes: ["0 0 [a|b] SuccessCriteriaMet", "1 1 [|] SuccessCriteriaMet Complete"],
        released: 2,
        counted: "1 1",
      },
    ],
    [
      "badly counts as failed all that did not end",
      {
        pods: "a=S b=F c=R",
        verdict: FAILS,
        writes: ["0 0 [a|b c] FailureTarget", "1 2 [|] FailureTarget Failed"],
        released: 3,
        counted: "1 2",
      },
    ],
    [
      "keeps as failed a pod that succeeds after all",
      {
        subject: uncounted([], ["a", "b"], said("FailureTarget")),
        pods: "a=F b=S",
        verdict: verdict("Failed"),
        writes: ["0 2 [|] FailureTarget Failed"],
        released: 2,
        counted: "0 2",
      },
    ],
    [
      "has failed when the last pod is let go",
      {
        subject: uncounted([], ["a"], said("FailureTarget")),
        pods: "a=F",
        verdict: verdict("Failed"),
        writes: ["0 1 [|] FailureTarget Failed"],
        released: 1,
        counted: "0 1",
      },
    ],
    [
      "has not failed before its last pod is gone",
      {
        subject: uncounted([], ["a"], said("FailureTarget")),
        pods: "a=Rdu",
        verdict: verdict("Failed"),
        writes: ["0 1 [|] FailureTarget"],
        counted: "0 1",
      },
    ],
    [
      "is not complete before its last pod is gone",
      {
        subject: uncounted(["b"], ["a"], said("SuccessCriteriaMet")),
        pods: "a=Rdu",
        verdict: SUCCEEDS,
        writes: ["1 1 [|] SuccessCriteriaMet"],
        counted: "1 1",
      },
    ],
  ])("%s", count);
});

// upstream: pkg/controller/job/job_controller.go#recordJobFinished
test.each([
  ["as many as it wanted", 2, ["Completed"]],
  ["more than it wanted", 1, ["TooManySucceededPods", "Completed"]],
  ["no matter how many", undefined, ["Completed"]],
])("of a Job of which %s have succeeded, that is told", async (_, completions, expected) => {
  const { spec, ...rest } = job({}, said("SuccessCriteriaMet"));
  const { completions: _left, ...others } = spec ?? { template: {} };
  const subject = { ...rest, spec: { ...others, ...(completions !== undefined && { completions }) } };
  const recorder = new Recorder(subject, {});
  const all = ["a", "b"].map((uid) => pod({ uid, phase: "Succeeded" }));
  const outcome = { ...outcomeOf(recorder.job, all), verdict: SUCCEEDS };
  await countAndFinish(syncOf(recorder.job), recorder.context(all), viewOf(recorder.job, all), outcome);
  expect(recorder.events).toEqual(expected);
});

// upstream: the same function's cases of indexed Jobs
describe("with indexes", () => {
  test.each<[string, Case]>([
    [
      "each success counts once, by its index",
      {
        subject: six(),
        pods: "a=S@1 b=S@3 c=S@3 d=R@5 e=S",
        writes: ["2 0 [|] done 1,3"],
        released: 4,
        counted: "2 0",
      },
    ],
    [
      "those that the Job has no more do not count",
      {
        subject: indexed(2, {}, { succeeded: 1, completedIndexes: "3" }),
        pods: "a=R@0 b=R@1",
        writes: ["0 0 [|]"],
      },
    ],
    [
      "those that it has do",
      {
        subject: indexed(2, {}, { succeeded: 1, completedIndexes: "3" }),
        pods: "a=R@0 b=S@1",
        writes: ["1 0 [|] done 1"],
        released: 1,
        counted: "1 0",
      },
    ],
    [
      "failures count by their pods, if they have an index",
      {
        subject: six(),
        pods: "a=F@1 b=F@3 c=F@3 d=R@5 e=F",
        writes: ["0 0 [|a b c]", "0 3 [|]"],
        released: 4,
        counted: "0 3",
      },
    ],
    [
      "what was counted before stays",
      {
        subject: indexed(7, {}, { failed: 2, succeeded: 5, completedIndexes: "0-2,4,6,7" }),
        pods: "e=Su@0 f=Fu@1 c=S@1 d=S@3 a=F@2 b=F@5",
        writes: ["6 2 [|a b] done 0-4,6", "6 4 [|] done 0-4,6"],
        released: 4,
        counted: "1 2",
      },
    ],
    [
      "all successes of one look are written, though not all pods are let go",
      {
        subject: indexed(501),
        pods: Array.from({ length: 501 }, (_, index) => `${index}=S@${index}`).join(" "),
        writes: ["501 0 [|] done 0-500"],
        released: 500,
        counted: "501 0",
      },
    ],
    [
      "a failed pod is not counted before its index is tried again",
      { subject: six(perIndex), pods: "a=F@1/0", writes: ["0 0 [|] failed "] },
    ],
    [
      "a failed pod is counted when its index is tried again",
      {
        subject: six(perIndex),
        pods: "a=F@1/0 b=R@1/1",
        writes: ["0 0 [|a] failed ", "0 1 [|] failed "],
        released: 1,
        counted: "0 1",
      },
    ],
    [
      "a failed pod is counted when its index has failed",
      {
        subject: six(perIndex),
        pods: "a=F@1/1",
        writes: ["0 0 [|a] failed 1", "0 1 [|] failed 1"],
        released: 1,
        counted: "0 1",
      },
    ],
  ])("%s", count);
});

// upstream: the same function's case of a Job whose pods have become active
test("counts of running pods are written when they change", async () => {
  const recorder = new Recorder(job(), {});
  const view = viewOf(recorder.job, []);
  const outcome = { ...outcomeOf(recorder.job, []), active: 1 };
  await countAndFinish(syncOf(recorder.job), recorder.context([]), view, outcome);
  expect(recorder.statuses).toEqual([{ active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} }]);
});
