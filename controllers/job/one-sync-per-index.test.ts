import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Job, JobSpec } from "../../pkg/api/types/batch-v1.gen.ts";
import { expectOfRow, type Row, syncOnce } from "./one-sync.test-data.ts";
import { indexed, NOW_MS, podsBy, pods } from "./samples.test-data.ts";

const ruled = (action: string): Partial<JobSpec> => ({
  podFailurePolicy: { rules: [{ action, onExitCodes: { operator: "In", values: [3] } }] },
});
const of = (count: number, spec: Partial<JobSpec> = {}): Job =>
  indexed(count, { parallelism: count, backoffLimit: 2 ** 31 - 1, backoffLimitPerIndex: 1, ...spec });
const failed = (reason: string): string => `FailureTarget/${reason} Failed/${reason}`;

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobWithJobBackoffLimitPerIndex, with the gates of v1.36
describe("with a limit for each index", () => {
  test.each<Row>([
    [
      "an index may succeed at its second trial",
      of(2),
      "0:F/0 0:S/1 1:S/0",
      {
        failed: 1,
        succeeded: 2,
        completed: "0,1",
        released: 3,
        conditions: "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached",
      },
    ],
    [
      "a failure is not counted before it is made good for",
      of(2),
      "0:F/0",
      { created: 2, indexes: "0 1", active: 2 },
    ],
    [
      "a failure is counted when another pod tries",
      of(2),
      "0:F/0 0:P/1",
      { created: 1, indexes: "1", active: 2, failed: 1, released: 1 },
    ],
    [
      "an index waits while another runs",
      of(2),
      pods({ index: 0, failures: 0 }, { index: 1, failures: 0, phase: "Failed", finishedMs: NOW_MS }),
      { active: 1 },
    ],
    [
      "the Job goes on without an index that has failed too often",
      of(2),
      "0:F/1",
      { created: 1, indexes: "1", active: 1, failed: 1, failedIndexes: "0", released: 1 },
    ],
    [
      "the Job goes on without an index that a rule has failed",
      of(2, ruled("FailIndex")),
      "0:F/0=3",
      { created: 1, indexes: "1", active: 1, failed: 1, failedIndexes: "0", released: 1 },
    ],
    [
      "a rule can still fail the Job",
      of(2, ruled("FailJob")),
      "0:F/0=3",
      { failed: 1, released: 1, conditions: failed("PodFailurePolicy") },
    ],
    [
      "a rule can pass over a failure",
      of(2, ruled("Ignore")),
      "0:F/0=3",
      { created: 2, indexes: "0 1", active: 2 },
    ],
    [
      "the limit of the Job counts as well",
      of(2, { backoffLimit: 1 }),
      "0:F/0 1:F/0",
      { failed: 2, released: 2, conditions: failed("BackoffLimitExceeded") },
    ],
    [
      "the Job has failed when all are done and one has failed",
      of(2),
      "0:F/1 1:S/0",
      {
        failed: 1,
        succeeded: 1,
        completed: "1",
        failedIndexes: "0",
        released: 2,
        conditions: failed("FailedIndexes"),
      },
    ],
    [
      "the Job fails when too many have",
      of(4, { maxFailedIndexes: 1 }),
      "0:F/1 1:S/0 2:F/1 3:R/0",
      {
        failed: 3,
        succeeded: 1,
        completed: "1",
        failedIndexes: "0,2",
        released: 4,
        deleted: 1,
        terminating: 1,
        conditions: "FailureTarget/MaxFailedIndexesExceeded",
      },
    ],
  ])("%s", expectOfRow);

  test("the status says so though none has failed", async () => {
    const { statuses } = await syncOnce(asStored(of(2)), podsBy("0:F/0"));
    expect(statuses.map(({ failedIndexes }) => failedIndexes)).toEqual([""]);
  });

  test("without it the status says nothing of failed ones", async () => {
    const without = indexed(3, { parallelism: 3 }, { failedIndexes: "0", completedIndexes: "1" });
    const { statuses } = await syncOnce(without, podsBy("2:P/1"));
    expect(statuses.map(({ failedIndexes, completedIndexes }) => [failedIndexes, completedIndexes])).toEqual([
      [undefined, "1"],
    ]);
  });
});
