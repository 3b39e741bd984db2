import { describe, expect, test } from "vitest";
import { finishedCondition, isJobFinished, isJobSuspended, jobFinishedMs } from "./job.ts";
import type { Job, JobCondition } from "./types/batch-v1.gen.ts";

const at = "2026-01-02T00:00:00Z";

function job(...conditions: JobCondition[]): Job {
  return { metadata: {}, status: { conditions } };
}

describe("finished jobs", () => {
  test.each<[string, Job, boolean]>([
    ["no status", { metadata: {} }, false],
    ["complete", job({ type: "Complete", status: "True" }), true],
    ["failed", job({ type: "Failed", status: "True" }), true],
    ["not complete", job({ type: "Complete", status: "False" }), false],
    ["complete unknown", job({ type: "Complete", status: "Unknown" }), false],
    ["not failed", job({ type: "Failed", status: "False" }), false],
    ["about to fail", job({ type: "FailureTarget", status: "True" }), false],
    ["suspended", job({ type: "Suspended", status: "True" }), false],
  ])("%s", (_name, each, finished) => {
    expect(isJobFinished(each)).toBe(finished);
  });

  test("say when they finished", () => {
    const failed: JobCondition = { type: "Failed", status: "True", lastTransitionTime: at };
    expect(finishedCondition(job({ type: "Complete", status: "False" }, failed))).toBe(failed);
    expect(jobFinishedMs(job(failed))).toBe(Date.UTC(2026, 0, 2));
    expect(jobFinishedMs(job({ ...failed, lastTransitionTime: null }))).toBeUndefined();
    expect(jobFinishedMs(job())).toBeUndefined();
  });
});

test.each<[boolean | undefined, boolean]>([
  [undefined, false],
  [false, false],
  [true, true],
])("suspend %s", (suspend, suspended) => {
  const spec = { template: {}, ...(suspend !== undefined && { suspend }) };
  expect(isJobSuspended({ spec })).toBe(suspended);
});
