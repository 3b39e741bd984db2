import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Job, JobSpec, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import { expectOfRow, type Row, syncOnce } from "./one-sync.test-data.ts";
import { indexed, podsBy } from "./samples.test-data.ts";

const FORBIDDEN = "FailureTarget/PodFailurePolicy";
const FAILED = `${FORBIDDEN} Failed/PodFailurePolicy`;
const LIMIT = "FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded";
const saysOf = (type: string, reason: string): JobStatus => ({
  conditions: [{ type, status: "True", reason, message: "as before" }],
});

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobWithJobSuccessPolicy, with the gates of v1.36
describe("a policy for successes", () => {
  const MET = "SuccessCriteriaMet/SuccessPolicy";
  const COMPLETE = `${MET} Complete/SuccessPolicy`;
  const oneOfTwo = { successPolicy: { rules: [{ succeededIndexes: "0,1", succeededCount: 1 }] } };
  const disruption = { action: "FailJob", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
  const disrupted = { podFailurePolicy: { rules: [disruption] } };
  const endless = { backoffLimit: 2 ** 31 - 1 };
  const of = (count: number, spec: Partial<JobSpec> = {}, status?: JobStatus): Job =>
    indexed(count, { parallelism: count, ...endless, ...oneOfTwo, ...spec }, status);
  const met = { ...saysOf("SuccessCriteriaMet", "SuccessPolicy"), succeeded: 1, completedIndexes: "1" };
  const both = { failed: 1, succeeded: 1, completed: "1", released: 2 };
  test.each<Row>([
    [
      "ends what runs",
      of(3),
      "0:F 0:R 1:S 2:R",
      { failed: 1, succeeded: 1, completed: "1", released: 4, deleted: 2, terminating: 2, conditions: MET },
    ],
    [
      "is met when that for failures is not",
      of(2, disrupted),
      "0:F 0:R 1:S",
      { failed: 1, succeeded: 1, completed: "1", released: 3, deleted: 1, terminating: 1, conditions: MET },
    ],
    [
      "is met when no index has failed too often",
      of(2, { backoffLimitPerIndex: 2 }),
      "0:F 0:R 1:S",
      { failed: 1, succeeded: 1, completed: "1", released: 3, deleted: 1, terminating: 1, conditions: MET },
    ],
    [
      "makes the Job complete when nothing runs any more",
      of(2, { backoffLimitPerIndex: 2 }, saysOf("SuccessCriteriaMet", "SuccessPolicy")),
      "0:F 1:S",
      { ...both, conditions: COMPLETE },
    ],
    [
      "was met, and something still runs",
      of(3, { backoffLimitPerIndex: 3 }, saysOf("SuccessCriteriaMet", "SuccessPolicy")),
      "0:F 1:R 1:S 2:R",
      { failed: 1, succeeded: 1, completed: "1", released: 4, deleted: 2, terminating: 2, conditions: MET },
    ],
    [
      "comes after that for failures",
      of(2, disrupted),
      "0:F!DisruptionTarget 0:R 1:S",
      {
        failed: 2,
        succeeded: 1,
        completed: "1",
        released: 3,
        deleted: 1,
        terminating: 1,
        conditions: FORBIDDEN,
      },
    ],
    [
      "comes after the limit of indexes",
      of(2, { backoffLimitPerIndex: 1 }),
      "0:F/1 1:S",
      {
        ...both,
        failedIndexes: "0",
        conditions: "FailureTarget/FailedIndexes Failed/FailedIndexes",
      },
    ],
    [
      "comes after the limit of the Job",
      of(2, { backoffLimit: 1 }),
      "0:F 0:F 1:S",
      { failed: 2, succeeded: 1, completed: "1", released: 3, conditions: LIMIT },
    ],
    [
      "that was met before goes before that for failures",
      of(2, { ...disrupted, successPolicy: { rules: [{ succeededCount: 1 }] } }, met),
      "0:F!DisruptionTarget 1:S",
      { ...both, conditions: COMPLETE },
    ],
    [
      "that was met before goes before the limit of indexes",
      of(2, { backoffLimitPerIndex: 1, successPolicy: { rules: [{ succeededIndexes: "1" }] } }, met),
      "0:F/1 1:S",
      { ...both, failedIndexes: "0", conditions: COMPLETE },
    ],
    [
      "that was met before goes before the limit of the Job",
      of(2, { backoffLimit: 1 }, met),
      "0:F 1:S",
      { ...both, conditions: COMPLETE },
    ],
    [
      "does not help a Job that was to fail before",
      of(2, disrupted, { ...saysOf("FailureTarget", "PodFailurePolicy"), completedIndexes: "1" }),
      "0:F!DisruptionTarget 1:S",
      { ...both, conditions: FAILED },
    ],
    [
      "is not needed",
      indexed(1, endless),
      "0:S",
      {
        succeeded: 1,
        completed: "0",
        released: 1,
        conditions: "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached",
      },
    ],
  ])("%s", expectOfRow);

  test("says which rule is met", async () => {
    const { messages } = await syncOnce(asStored(of(2)), podsBy("0:F 1:S"));
    expect(messages).toEqual(["Matched rules at index 0", "Matched rules at index 0"]);
  });
});
