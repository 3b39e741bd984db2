import { describe, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job, JobSpec, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import { NO_FAILURES } from "./backoff.ts";
import { expectOfRow, type Row } from "./one-sync.test-data.ts";
import { job, NOW_MS } from "./samples.test-data.ts";

const LIMIT = "FailureTarget/BackoffLimitExceeded";
const DONE = "SuccessCriteriaMet/CompletionsReached Complete/CompletionsReached";

const five = (spec: Partial<JobSpec> = {}, status?: JobStatus): Job =>
  job({ parallelism: 2, completions: 5, ...spec }, status);
const any = (spec: Partial<JobSpec> = {}): Job => job({ parallelism: 2, ...spec });
const one = (spec: Partial<JobSpec> = {}, status?: JobStatus): Job =>
  job({ parallelism: 1, completions: 1, ...spec }, status);
const deleted = (subject: Job): Job => ({
  ...subject,
  metadata: { ...subject.metadata, deletionTimestamp: formatTime(NOW_MS) },
});
const failedOnce = { backoff: { failuresSinceSuccess: 1, lastFailureMs: NOW_MS } };
const began = (secondsAgo: number): JobStatus => ({ startTime: formatTime(NOW_MS - secondsAgo * 1_000) });
const saidNot = (type: string): JobStatus => ({
  ...began(0),
  conditions: [{ type, status: "False", reason: "ByHand", message: "Testing" }],
});

// upstream: pkg/controller/job/job_controller_test.go#TestControllerSyncJob, as it is with the gates of v1.36
describe("one look at a Job", () => {
  const starting: readonly Row[] = [
    ["starts it", five(), "", { created: 2, active: 2 }],
    ["starts it without a number", any(), "", { created: 2, active: 2 }],
    ["sees pending pods", five(), "2P", { active: 2 }],
    ["sees ready pods", five({ parallelism: 3 }), "1R 2r", { active: 3, ready: 2 }],
    ["sees pods of one without a number", any(), "2R", { active: 2 }],
    ["replaces what succeeded", five(), "1R 1S", { created: 1, active: 2, succeeded: 1, released: 1 }],
    ["adds to a few", any(), "1R", { created: 1, active: 2 }],
    ["replaces a failure long ago", five(), "1R 1F", { created: 1, active: 2, failed: 1, released: 1 }],
    [
      "replaces a failure and a success",
      five(),
      "1R 1S 1F",
      { created: 1, active: 2, succeeded: 1, failed: 1, released: 2 },
    ],
    ["keeps what was counted", one({}, { active: 1, failed: 1 }), "1R", { active: 1, failed: 1 }],
    ["waits after a failure", one({}, began(0)), "", {}, failedOnce],
    [
      "waits after a failure, and counts what runs",
      job({ parallelism: 2, completions: 2 }, began(0)),
      "1r",
      { active: 1, ready: 1 },
      failedOnce,
    ],
    [
      "does not wait without failures",
      one(),
      "",
      { created: 1, active: 1 },
      { backoff: { ...NO_FAILURES, lastFailureMs: NOW_MS } },
    ],
    [
      "creates what it can",
      five({ parallelism: 100, completions: 200 }),
      "",
      { created: 10, active: 10, fails: true },
      { mostCreated: 10 },
    ],
  ];
  const deleting: readonly Row[] = [
    ["ends one too many", five(), "3R", { deleted: 1, released: 1, active: 2, terminating: 1 }],
    ["ends ready ones", five(), "3r", { deleted: 1, released: 1, active: 2, ready: 2, terminating: 1 }],
    ["ends many too many", five(), "10R", { deleted: 8, released: 8, active: 2, terminating: 8 }],
    [
      "ends more than are needed yet",
      job({ parallelism: 3, completions: 4 }),
      "3R 2S",
      { deleted: 1, released: 3, active: 2, succeeded: 2, terminating: 1 },
    ],
    ["counts successes", five(), "2R 2S", { released: 2, active: 2, succeeded: 2 }],
    [
      "of one that is being deleted only counts",
      deleted(five()),
      "1P 1R 1S",
      { released: 3, active: 2, succeeded: 1 },
    ],
  ];
  const failing: readonly Row[] = [
    [
      "cannot count when no finalizer can be taken off",
      five(),
      "1R 1S",
      { created: 1, active: 1, released: 1, fails: true },
      { podsFail: true },
    ],
    [
      "cannot count failures then either",
      five(),
      "1R 1F",
      { created: 1, active: 1, released: 1, fails: true },
      { podsFail: true },
    ],
    [
      "cannot end pods then either",
      five(),
      "3R",
      { active: 3, released: 1, fails: true },
      { podsFail: true },
    ],
    [
      "fails it at its limit",
      deleted(five({ backoffLimit: 0 })),
      "1F",
      { failed: 1, released: 1, conditions: `${LIMIT} Failed/BackoffLimitExceeded` },
    ],
    [
      "does not fail it as long as pods may be unseen",
      deleted(five({ backoffLimit: 0 })),
      "1F",
      { failed: 1, released: 1 },
      { awaits: 1 },
    ],
    [
      "ends ready pods of one that fails",
      job({ parallelism: 2, completions: 3, backoffLimit: 0 }),
      "2r 1F",
      { failed: 3, released: 3, deleted: 2, terminating: 2, conditions: LIMIT },
    ],
    [
      "passes over a FailureTarget that is false",
      one({}, { active: 1, ...saidNot("FailureTarget") }),
      "1r",
      { active: 1, ready: 1, conditions: "!FailureTarget/ByHand" },
    ],
    [
      "passes over a SuccessCriteriaMet that is false",
      one({}, { active: 1, ...saidNot("SuccessCriteriaMet") }),
      "1r",
      { active: 1, ready: 1, conditions: "!SuccessCriteriaMet/ByHand" },
    ],
  ];
  const completing: readonly Row[] = [
    ["completes it", five(), "5S", { succeeded: 5, released: 5, conditions: DONE }],
    ["lets the others end", any(), "1R 1S", { active: 1, succeeded: 1, released: 1 }],
    ["completes one without a number", any(), "2S", { succeeded: 2, released: 2, conditions: DONE }],
    [
      "completes one without a number despite a failure",
      any(),
      "1S 1F",
      { succeeded: 1, failed: 1, released: 2, conditions: DONE },
    ],
  ];
  const replacing: readonly Row[] = [
    [
      "replaces only what has failed",
      job({ parallelism: 1, podReplacementPolicy: "Failed" }),
      "1R 1F 1T",
      { active: 1, failed: 1, terminating: 1, released: 1 },
    ],
    [
      "counts as failed what is being deleted",
      one(),
      "1R 1F 1T",
      { active: 1, failed: 2, terminating: 1, released: 2 },
    ],
    [
      "does so when told to",
      job({ parallelism: 1, podReplacementPolicy: "TerminatingOrFailed" }),
      "1R 1F 1T",
      { active: 1, failed: 2, terminating: 1, released: 2 },
    ],
    [
      "ends pods though more are ending than may run",
      one({ podReplacementPolicy: "Failed" }),
      "2R 4T",
      { active: 1, deleted: 1, released: 1, terminating: 5 },
    ],
    [
      "does so with a policy for failures",
      one({ podFailurePolicy: { rules: [] } }),
      "2R 4T",
      { active: 1, deleted: 1, released: 1, terminating: 5 },
    ],
  ];
  test.each<Row>([...starting, ...deleting, ...failing, ...completing, ...replacing])("%s", expectOfRow);
});
