import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { indexed, job, NOW_MS, pod, type PodSketch, pods } from "./samples.test-data.ts";
import { decideCompletion, decideVerdict, untilDeadlineMs } from "./verdict.ts";
import { type JobView, viewOf } from "./view.ts";

const started = (secondsAgo: number): JobStatus => ({ startTime: formatTime(NOW_MS - secondsAgo * 1_000) });
const failed = (count: number): readonly PodSketch[] =>
  Array.from({ length: count }, () => ({ phase: "Failed", finishedMs: NOW_MS }));
const said = (type: string, reason: string): JobStatus => ({
  conditions: [{ type, status: "True", reason, message: "why" }],
});

describe("a Job", () => {
  // upstream: pkg/controller/job/job_controller_test.go#TestControllerSyncJob, #TestSyncJobPastDeadline,
  // #TestJobBackoffOnRestartPolicyNever: what is decided there
  test.each<[string, Stored<Job>, readonly PodSketch[], string]>([
    ["at its limit goes on", job({ backoffLimit: 2 }), failed(2), "-"],
    ["beyond its limit fails", job({ backoffLimit: 2 }), failed(3), "FailureTarget BackoffLimitExceeded"],
    [
      "without any limit to spare fails",
      job({ backoffLimit: 0 }),
      failed(1),
      "FailureTarget BackoffLimitExceeded",
    ],
    [
      "with earlier failures fails",
      job({ backoffLimit: 2 }, { failed: 2 }),
      failed(1),
      "FailureTarget BackoffLimitExceeded",
    ],
    [
      "with failures that are listed fails",
      job({ backoffLimit: 2 }, { failed: 2, uncountedTerminatedPods: { failed: ["a"] } }),
      [],
      "FailureTarget BackoffLimitExceeded",
    ],
    ["with time goes on", job({ activeDeadlineSeconds: 10 }, started(9)), [], "-"],
    [
      "without time fails",
      job({ activeDeadlineSeconds: 10 }, started(10)),
      [],
      "FailureTarget DeadlineExceeded",
    ],
    ["that is suspended has time", job({ activeDeadlineSeconds: 10, suspend: true }, started(15)), [], "-"],
    [
      "that is to fail fails",
      job({}, said("FailureTarget", "PodFailurePolicy")),
      [],
      "Failed PodFailurePolicy",
    ],
    [
      "that is to succeed succeeds",
      job({ backoffLimit: 0 }, said("SuccessCriteriaMet", "SuccessPolicy")),
      failed(1),
      "SuccessCriteriaMet SuccessPolicy",
    ],
    [
      "with an index too many that failed fails",
      indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 0 }),
      [{ index: 1, failures: 0, phase: "Failed" }],
      "FailureTarget MaxFailedIndexesExceeded",
    ],
    [
      "with an index that failed goes on",
      indexed(4, { backoffLimitPerIndex: 0, backoffLimit: 100 }),
      [{ index: 1, failures: 0, phase: "Failed" }],
      "-",
    ],
    [
      "with indexes that are all done, and one failed, fails",
      indexed(4, { backoffLimitPerIndex: 0, backoffLimit: 100 }, { completedIndexes: "0,2,3" }),
      [{ index: 1, failures: 0, phase: "Failed" }],
      "FailureTarget FailedIndexes",
    ],
    [
      "with the indexes that matter succeeds",
      indexed(4, { successPolicy: { rules: [{ succeededIndexes: "2" }] } }),
      [{ index: 2, phase: "Succeeded" }],
      "SuccessCriteriaMet SuccessPolicy",
    ],
  ])("%s", (_, subject, sketches, expected) => {
    const found = decideVerdict(view(subject, pods(...sketches)), NOW_MS);
    expect(found === undefined ? "-" : `${found.type} ${found.reason}`).toBe(expected);
  });

  // upstream: pkg/controller/job/job_controller_test.go#TestJobBackoffForOnFailure
  test.each([
    [0, [0], "Running", "-"],
    [0, [1], "Running", "BackoffLimitExceeded"],
    [1, [1], "Running", "BackoffLimitExceeded"],
    [1, [0], "Pending", "-"],
    [2, [1, 0], "Running", "-"],
    [2, [1, 1], "Running", "BackoffLimitExceeded"],
    [3, [2, 1], "Pending", "BackoffLimitExceeded"],
    [3, [2, 0], "Running", "-"],
  ])("with limit %i and restarts %j of pods that are %s: %s", (backoffLimit, restarts, phase, expected) => {
    const template = { spec: { restartPolicy: "OnFailure", containers: [] } };
    const all = restarts.map((restartCount): Stored<Pod> => {
      const container = { name: "c", image: "", imageID: "", ready: false, restartCount };
      return { ...pod(), status: { phase, containerStatuses: [container] } };
    });
    expect(decideVerdict(view(job({ backoffLimit, template }), all), NOW_MS)?.reason ?? "-").toBe(expected);
  });

  test.for<[string, Stored<Job>, readonly PodSketch[], number, boolean]>([
    ["with as many as asked for", job({ completions: 1 }), [{ phase: "Succeeded" }], 0, true],
    ["while one runs", job({ completions: 1 }), [{ phase: "Succeeded" }], 1, false],
    ["with too few", job({ completions: 2 }), [{ phase: "Succeeded" }], 0, false],
    ["that asks for none", job({ completions: 0 }), [], 0, true],
    ["without a number, with one", job(), [{ phase: "Succeeded" }], 0, true],
    ["without a number, with none", job(), [], 0, false],
    ["with more than asked for", job({ completions: 1 }, { succeeded: 2 }), [], 0, true],
  ])("%s", ([, subject, sketches, active, complete]) => {
    expect(decideCompletion(view(subject, pods(...sketches)), active) !== undefined).toBe(complete);
  });
});

test("the time that is left counts from the start", () => {
  expect(untilDeadlineMs(job({ activeDeadlineSeconds: 10 }, started(4)), NOW_MS)).toBe(6_000);
  expect(untilDeadlineMs(job({ activeDeadlineSeconds: 10 }), NOW_MS)).toBeUndefined();
  expect(untilDeadlineMs(job({}, started(4)), NOW_MS)).toBeUndefined();
  // So many seconds are more nanoseconds than 64 bits hold: in Go, the Job is over its deadline at once.
  const ages = job({ activeDeadlineSeconds: 9223372036854775807n }, started(4));
  expect(untilDeadlineMs(ages, NOW_MS)).toBeGreaterThan(2 ** 53);
});

function view(subject: Stored<Job>, all: readonly Stored<Pod>[]): JobView {
  return viewOf(subject, all);
}
