import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import { uidOf } from "./job-pods.ts";
import { decidePods, podsToDelete } from "./pods-plan.ts";
import { indexed, job, NOW_MS, type PodSketch, pods } from "./samples.test-data.ts";
import { type JobView, viewOf } from "./view.ts";

const running = (count: number, rest: PodSketch = {}): readonly PodSketch[] =>
  Array.from({ length: count }, () => rest);
const done = (count: number): readonly PodSketch[] => running(count, { phase: "Succeeded" });

describe("how many pods run", () => {
  // upstream: pkg/controller/job/job_controller_test.go#TestControllerSyncJob, what is decided about pods
  test.each<[string, Job, readonly PodSketch[], string]>([
    ["at the start", job({ parallelism: 2, completions: 5 }), [], "create 2"],
    ["at the start, without a number", job({ parallelism: 2 }), [], "create 2"],
    ["at the start, no more than needed", job({ parallelism: 5, completions: 2 }), [], "create 2"],
    ["enough", job({ parallelism: 2, completions: 5 }), running(2), "none"],
    ["enough, without a number", job({ parallelism: 2 }), running(2), "none"],
    ["one is missing", job({ parallelism: 2, completions: 5 }), running(1), "create 1"],
    ["after a success", job({ parallelism: 2, completions: 5 }), [...running(1), ...done(1)], "create 1"],
    ["after a success, without a number", job({ parallelism: 2 }), [...running(1), ...done(1)], "none"],
    ["near the end", job({ parallelism: 2, completions: 5 }), [...running(1), ...done(4)], "none"],
    ["too many", job({ parallelism: 2, completions: 5 }), running(3), "delete 1"],
    [
      "too many, as some have succeeded",
      job({ parallelism: 2, completions: 2 }),
      [...running(2), ...done(1)],
      "delete 1",
    ],
    ["none at all", job({ parallelism: 0, completions: 5 }), running(2), "delete 2"],
    ["far too many", job({ parallelism: 0, completions: 5 }), running(600), "delete 500"],
    ["far too few", job({ parallelism: 600, completions: 900 }), [], "create 500"],
    ["suspended", job({ parallelism: 2, suspend: true }), running(2), "delete 2"],
    ["suspended, without bound", job({ parallelism: 600, suspend: true }), running(600), "delete 600"],
    ["suspended, with nothing to stop", job({ parallelism: 2, suspend: true }), [], "delete 0"],
    [
      "one is going",
      job({ parallelism: 2, completions: 5 }),
      [...running(1), { deletedMs: NOW_MS - 3_600_000 }],
      "create 1",
    ],
    [
      "one is going, and has to fail first",
      job({ parallelism: 2, completions: 5, podReplacementPolicy: "Failed" }),
      [...running(1), { deletedMs: NOW_MS }],
      "none",
    ],
    [
      "one has failed just now",
      job({ parallelism: 2 }),
      [...running(1), { phase: "Failed", finishedMs: NOW_MS }],
      "wait 10",
    ],
  ])("%s", (_, subject, sketches, expected) => {
    expect(outcome(view(subject, sketches))).toBe(expected);
  });
});

describe("which indexes are given out", () => {
  // upstream: pkg/controller/job/indexed_job_utils_test.go#TestFirstPendingIndexes
  test.for<[string, number, number, string, string, string | undefined, string]>([
    ["more than there are", 5, 3, "", "", undefined, "0 1 2"],
    ["fewer than there are", 2, 5, "", "", undefined, "0 1"],
    ["the next ones", 5, 10, "0 1", "", undefined, "2 3 4"],
    ["the first ones", 6, 6, "", "4,5", undefined, "0 1 2 3"],
    ["those between", 8, 20, "3 5 8", "2-4,9", undefined, "0 1 6 7 10"],
    ["those that have not failed", 7, 20, "3 9", "1,5", "2,6,7", "0 4 8 10 11"],
  ])("%s", ([, parallelism, completions, active, completedIndexes, failedIndexes, expected]) => {
    const perIndex = failedIndexes === undefined ? {} : { backoffLimitPerIndex: 0 };
    const status = { completedIndexes, ...(failedIndexes !== undefined && { failedIndexes }) };
    const sketches = active
      .split(" ")
      .filter((index) => index !== "")
      .map((index) => ({ index }));
    const plan = decidePods(
      view(indexed(completions, { parallelism, ...perIndex }, status), sketches),
      NOW_MS,
    );
    expect(plan.action === "create" ? plan.indexes?.join(" ") : plan.action).toBe(expected);
  });

  // upstream: pkg/controller/job/job_controller_test.go#TestGetPodCreationInfoForIndependentIndexes
  test.each<[string, readonly (number | undefined)[], string]>([
    ["all, as nothing has failed", [undefined, undefined], "create 0 1"],
    ["those that have waited", [0, 3_600], "create 1"],
    ["those that have not failed", [0, undefined], "create 1"],
    ["none yet: the first is due in 10 s", [0, 0], "wait 10"],
    ["none yet: the second is due before the first", [1, 4], "wait 6"],
  ])("with a limit for each, %s", (_, failedSecondsAgo, expected) => {
    const sketches = failedSecondsAgo.flatMap((seconds, index) =>
      seconds === undefined
        ? []
        : [{ index, failures: 0, phase: "Failed", finishedMs: NOW_MS - seconds * 1_000 }],
    );
    const subject = indexed(2, { parallelism: 2, backoffLimitPerIndex: 3 });
    const plan = decidePods(view(subject, sketches), NOW_MS);
    const text =
      plan.action === "create" ? `create ${plan.indexes?.join(" ")}` : outcome(view(subject, sketches));
    expect(text).toBe(expected);
  });
});

// upstream: pkg/controller/job/indexed_job_utils_test.go#TestAppendDuplicatedIndexPodsForRemoval
test.each<[string, string, string]>([
  ["without an index, and too great ones", "-P 2P 5R 6R", "-P 6R"],
  ["more than once", "5P 0R 3P 0R 3R 0P 6R 6P", "0P 0R 3P 6R 6P"],
  ["that cannot be read", "-P invalidR -2R 0P 1P 1P 1R", "-P invalidR -2R 1P 1P"],
])("pods go whose index is there %s", (_, sketch, expected) => {
  const texts = sketch.split(" ");
  const all = pods(
    ...texts.map((text, position) => ({
      uid: `${position}`,
      phase: text.endsWith("R") ? "Running" : "Pending",
      ...(text.length > 2 || !text.startsWith("-") ? { index: text.slice(0, -1) } : {}),
    })),
  );
  const chosen = podsToDelete(indexed(6), all, 0, NOW_MS).map((each) => texts[Number(uidOf(each))]);
  expect(chosen.join(" ")).toBe(expected);
});

test("of pods that are too many those go that have got least far", () => {
  const all = pods({ uid: "ready", ready: true }, { uid: "running" }, { uid: "pending", phase: "Pending" });
  expect(podsToDelete(job(), all, 2, NOW_MS).map(uidOf)).toEqual(["pending", "running"]);
});

function view(subject: Job, sketches: readonly PodSketch[]): JobView {
  return viewOf(asStored(subject), pods(...sketches));
}

function outcome(subject: JobView): string {
  const plan = decidePods(subject, NOW_MS);
  if (plan.action === "create") return `create ${plan.count}`;
  if (plan.action === "delete") return `delete ${plan.pods.length}`;
  return plan.action === "wait" ? `wait ${plan.forMs / 1_000}` : plan.action;
}
