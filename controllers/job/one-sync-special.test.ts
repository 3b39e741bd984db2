import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobSpec, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import { expectOfRow, type Row, syncOnce } from "./one-sync.test-data.ts";
import { conflict, refused } from "./recorder.test-data.ts";
import { indexed, job, NOW_MS, podsBy } from "./samples.test-data.ts";

const LIMIT = "FailureTarget/BackoffLimitExceeded";
const DONE = "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached";

const four = (spec: Partial<JobSpec>): Job => job({ parallelism: 2, completions: 4, ...spec });
const began = (secondsAgo: number): JobStatus => ({ startTime: formatTime(NOW_MS - secondsAgo * 1_000) });
const deleted = (subject: Job): Job => ({
  ...subject,
  metadata: { ...subject.metadata, deletionTimestamp: formatTime(NOW_MS) },
});

// upstream: pkg/controller/job/job_controller_test.go#TestControllerSyncJob, its cases of indexes
describe("one look at an indexed Job", () => {
  const of = (completions: number, spec: Partial<JobSpec> = {}): Job =>
    indexed(completions, { parallelism: 2, ...spec });
  test.each<Row>([
    ["starts it", of(5), "", { created: 2, indexes: "0 1", active: 2 }],
    [
      "leaves room for what is being deleted",
      of(5, { podReplacementPolicy: "Failed" }),
      "1T",
      { created: 1, indexes: "0", active: 1, terminating: 1 },
    ],
    [
      "replaces what is being deleted",
      of(5, { podReplacementPolicy: "TerminatingOrFailed" }),
      "1T",
      { created: 2, indexes: "0 1", active: 2, terminating: 1, released: 1 },
    ],
    [
      "completes it",
      of(3),
      "0:S 1:F 1:S 2:S",
      { succeeded: 3, failed: 1, completed: "0-2", released: 4, conditions: DONE },
    ],
    [
      "fails it, and counts as failed what it ends",
      of(3, { backoffLimit: 0 }),
      "0:S 1:F 2:R",
      { succeeded: 1, failed: 2, completed: "0", released: 3, deleted: 1, terminating: 1, conditions: LIMIT },
    ],
    [
      "counts an index once",
      of(3),
      "0:S 1:S 1:S",
      { created: 1, indexes: "2", active: 1, succeeded: 2, completed: "0,1", released: 3 },
    ],
    [
      "fills the gaps",
      of(20, { parallelism: 8 }),
      "0:R 2:S 3:P 4:S 5:S 7:S 8:S 9:S",
      {
        created: 6,
        indexes: "1 6 10 11 12 13",
        active: 8,
        succeeded: 6,
        completed: "2,4,5,7-9",
        released: 6,
      },
    ],
    [
      "tries again what failed",
      of(4, { parallelism: 3 }),
      "0:F 1:P 2:F",
      { created: 2, indexes: "0 2", active: 3, failed: 2, released: 2 },
    ],
    [
      "ends pods without an index, and counts none of them",
      of(5),
      "1R 1S 1F x:R x:S x:F x:P 0:S 1:R 2:R",
      { deleted: 3, active: 2, succeeded: 1, completed: "0", released: 8, terminating: 3 },
    ],
    [
      "ends all pods of an index but one",
      of(5, { parallelism: 5 }),
      "1S 1F x:R 0:S 1:R 2:R 2:P",
      { deleted: 2, active: 2, succeeded: 1, completed: "0", released: 5, terminating: 2 },
    ],
    [
      "ends pods whose index there is no more",
      of(5),
      "0:S 5:R 6:S 7:P 8:F",
      { deleted: 2, succeeded: 1, completed: "0", released: 5, terminating: 2 },
    ],
  ])("%s", expectOfRow);

  test("names pods and hosts after their indexes", async () => {
    const { pods } = await syncOnce(asStored(of(5, { template: { spec: { containers: [] } } })), []);
    expect(pods.map(({ metadata, spec }) => [metadata.generateName, spec?.hostname])).toEqual([
      ["job-0-", "job-0"],
      ["job-1-", "job-1"],
    ]);
    const owner = { apiVersion: "batch/v1", kind: "Job", name: "job", uid: "job-uid" };
    const reference = { ...owner, controller: true, blockOwnerDeletion: true };
    for (const { metadata } of pods) expect(metadata.ownerReferences).toEqual([reference]);
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestControllerSyncJob, its cases of suspension
describe("one look at a Job that rests", () => {
  const rests = { suspend: true };
  test.each<Row>([
    [
      "ends its pods",
      four(rests),
      "2R",
      { deleted: 2, released: 2, terminating: 2, conditions: "Suspended/JobSuspended" },
    ],
    [
      "ends ready pods",
      four(rests),
      "2r",
      { deleted: 2, released: 2, terminating: 2, conditions: "Suspended/JobSuspended" },
    ],
    ["waits until deletions are seen", four(rests), "3R", { active: 3 }, { awaits: -1 }],
    ["counts ready pods meanwhile", four(rests), "3r", { active: 3, ready: 3 }, { awaits: -1 }],
    ["is not there before it begins", four({ ...rests, completions: 0 }), "", { conditions: DONE }],
    ["is complete all the same", four(rests), "4S", { succeeded: 4, released: 4, conditions: DONE }],
    ["does nothing when it is being deleted", deleted(four(rests)), "2R", { active: 2, released: 2 }],
  ])("%s", expectOfRow);

  test("goes on", async () => {
    const said = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" };
    const resumed = job({ parallelism: 2, completions: 4 }, { conditions: [said] });
    const { told, messages, events } = await syncOnce(resumed, []);
    expect(told).toEqual({ created: 2, active: 2, conditions: "!Suspended/JobResumed" });
    expect([...messages, ...events]).toEqual(["Job resumed", "Resumed"]);
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobPastDeadline, as it is with the gates of v1.36
describe("the time of a Job", () => {
  const timed = (spec: Partial<JobSpec>, secondsAgo: number): Job =>
    job({ parallelism: 1, completions: 1, activeDeadlineSeconds: 10, ...spec }, began(secondsAgo));
  const LATE = "FailureTarget/DeadlineExceeded";
  test.each<Row>([
    [
      "ends what runs",
      timed({}, 15),
      "1R",
      { deleted: 1, failed: 1, released: 1, terminating: 1, conditions: LATE },
    ],
    [
      "ends what runs, and keeps what succeeded",
      timed({ completions: 2 }, 15),
      "1R 1S",
      { deleted: 1, succeeded: 1, failed: 1, released: 2, terminating: 1, conditions: LATE },
    ],
    ["is over before a pod runs", timed({}, 10), "", { conditions: `${LATE} Failed/DeadlineExceeded` }],
    [
      "counts for less than the limit of failures",
      timed({ activeDeadlineSeconds: 1, backoffLimit: 0 }, 10),
      "1F",
      { failed: 1, released: 1, conditions: `${LIMIT} Failed/BackoffLimitExceeded` },
    ],
    [
      "stands still while the Job rests",
      timed({ suspend: true }, 15),
      "",
      { conditions: "Suspended/JobSuspended" },
    ],
  ])("%s", expectOfRow);

  test("is looked at again when it is over", async () => {
    expect((await syncOnce(asStored(timed({}, 4)), podsBy("1R"))).requeueAfterMs).toBe(6_000);
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestJobBackoffOnRestartPolicyNever
describe("failures of a Job whose pods are not restarted", () => {
  const never = (count: number, backoffLimit: number): Job =>
    job({ parallelism: count, completions: count, backoffLimit });
  const OVER = `${LIMIT} Failed/BackoffLimitExceeded`;
  test.each<Row>([
    ["there are none", never(1, 0), "R", { active: 1 }],
    ["as many as it survives", never(1, 1), "F", { created: 1, active: 1, failed: 1, released: 1 }],
    ["one too many", never(1, 1), "2F", { failed: 2, released: 2, conditions: OVER }],
    ["as many, of two at a time", never(2, 6), "R 6F", { created: 1, active: 2, failed: 6, released: 6 }],
    ["one too many, of two at a time", never(2, 6), "7F", { failed: 7, released: 7, conditions: OVER }],
  ])("%s", expectOfRow);
});

// upstream: pkg/controller/job/job_controller_test.go#TestSingleJobFailedCondition
test("a condition that was false becomes true, and stays one", async () => {
  const failed = { type: "Failed", status: "False", reason: "DeadlineExceeded", message: "" };
  const late = job({ activeDeadlineSeconds: 10 }, { ...began(15), conditions: [failed] });
  const { told } = await syncOnce(late, []);
  expect(told).toEqual({ conditions: "Failed/DeadlineExceeded FailureTarget/DeadlineExceeded" });
});

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobComplete, #TestSyncJobDeleted, #TestSyncJobWhenManagedBy
describe("a Job is left alone", () => {
  test.each<[string, Job]>([
    ["that is complete", job({ completions: 5 }, { conditions: [{ type: "Complete", status: "True" }] })],
    ["that has failed", job({ completions: 5 }, { conditions: [{ type: "Failed", status: "True" }] })],
    ["of another controller", job({ managedBy: "example.com/other" })],
    ["of an unknown kind", job({ completionMode: "Other" })],
  ])("%s", async (_, subject) => {
    const { statuses, pods, error } = await syncOnce(asStored(subject), podsBy("1R"));
    expect({ statuses, pods, error }).toEqual({ statuses: [], pods: [], error: undefined });
  });

  test.each([undefined, "kubernetes.io/job-controller"])("but not when managed by %s", async (managedBy) => {
    const before = { active: 1, ready: 1, ...began(0) };
    const subject = job({ parallelism: 2, completions: 2, ...(managedBy && { managedBy }) }, before);
    const { statuses } = await syncOnce(subject, []);
    const status = { active: 2, ready: 0, terminating: 0, uncountedTerminatedPods: {}, ...began(0) };
    expect(statuses).toEqual([status]);
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobUpdateRequeue
test.each([
  ["refused", refused()],
  ["refused as it is older than another", conflict()],
])("a status that is %s fails the look, and nothing is let go", async (_, statusFails) => {
  const { told, statuses } = await syncOnce(job({ completions: 5 }), podsBy("1S"), { statusFails });
  expect(statuses).toHaveLength(1);
  expect(told.fails).toBe(true);
  expect(told.released).toBeUndefined();
});
