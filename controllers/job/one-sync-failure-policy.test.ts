import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { Job, JobSpec, JobStatus, PodFailurePolicyRule } from "../../pkg/api/types/batch-v1.gen.ts";
import type { ContainerStatus, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { expectOfRow, type Row, syncOnce } from "./one-sync.test-data.ts";
import { job, NOW_MS, pod, podsBy } from "./samples.test-data.ts";

const byCode = (action: string, values: readonly number[], operator = "In"): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator, values },
});
const byCondition = (action: string, type: string): PodFailurePolicyRule => ({
  action,
  onPodConditions: [{ type, status: "True" }],
});
const onMain = (rule: PodFailurePolicyRule): PodFailurePolicyRule => ({
  ...rule,
  ...(rule.onExitCodes && { onExitCodes: { ...rule.onExitCodes, containerName: "main" } }),
});
const CODES = [byCode("Ignore", [1, 2, 3]), byCode("FailJob", [5, 6, 7])];
const FORBIDDEN = "FailureTarget/PodFailurePolicy";
const FAILED = `${FORBIDDEN} Failed/PodFailurePolicy`;
const LIMIT = "FailureTarget/BackoffLimitExceeded Failed/BackoffLimitExceeded";
const saysOf = (type: string, reason: string): JobStatus => ({
  conditions: [{ type, status: "True", reason, message: "as before" }],
});

/** By name: how containers, then init containers, have ended. */
function failedPod(
  containers: Readonly<Record<string, number>>,
  init: Readonly<Record<string, number>> = {},
): Stored<Pod> {
  const ended = (codes: Readonly<Record<string, number>>): readonly ContainerStatus[] =>
    Object.entries(codes).map(([name, exitCode]) => ({
      name,
      image: "",
      imageID: "",
      ready: false,
      restartCount: 0,
      state: { terminated: { exitCode, finishedAt: "2020-01-01T00:00:00Z" } },
    }));
  const status = {
    phase: "Failed",
    containerStatuses: ended(containers),
    initContainerStatuses: ended(init),
  };
  return { ...pod({ uid: "pod-0" }), status };
}

// upstream: pkg/controller/job/job_controller_test.go#TestSyncJobWithJobPodFailurePolicy, with the gates of v1.36
describe("a policy for failures", () => {
  const governed = (
    rules: readonly PodFailurePolicyRule[],
    spec: Partial<JobSpec> = {},
    status?: JobStatus,
  ): Stored<Job> =>
    job(
      {
        parallelism: 1,
        completions: 1,
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules },
        ...spec,
      },
      status,
    );
  const strict = { backoffLimit: 0 };
  const again = { created: 1, active: 1, released: 1 };
  const ended = { failed: 1, released: 1 };
  test.each<Row>([
    [
      "does not look at other containers than it names",
      governed(CODES.map(onMain)),
      [failedPod({ monitor: 5, main: 42 })],
      { ...again, failed: 1 },
    ],
    ["does not look at pods that run", governed(CODES), "R=5", { active: 1 }],
    ["fails the Job", governed(CODES), "F=5", { ...ended, conditions: FAILED }],
    [
      "has failed the Job",
      governed(CODES, {}, saysOf("FailureTarget", "PodFailurePolicy")),
      "F=5",
      { ...ended, conditions: FAILED },
    ],
    [
      "fails the Job, and ends what runs",
      governed(CODES, { parallelism: 2, completions: 2 }),
      "R F=5",
      { failed: 2, released: 2, deleted: 1, terminating: 1, conditions: FORBIDDEN },
    ],
    [
      "fails an indexed Job",
      governed(CODES, { completionMode: "Indexed" }),
      "0:F=5",
      { ...ended, conditions: FAILED },
    ],
    [
      "fails the Job for other codes",
      governed([byCode("FailJob", [5, 6, 7], "NotIn")]),
      "F=42",
      { ...ended, conditions: FAILED },
    ],
    [
      "leaves these codes to the limit",
      governed([byCode("FailJob", [5, 6, 7], "NotIn")]),
      "F=5",
      { ...again, failed: 1 },
    ],
    [
      "looks at init containers",
      governed(CODES),
      [failedPod({ main: 143 }, { init: 5 })],
      { ...ended, conditions: FAILED },
    ],
    ["goes by the first rule that matches", governed(CODES, strict), [failedPod({ one: 2, two: 6 })], again],
    ["passes over failures", governed(CODES, strict), "F=1", again],
    ["leaves other codes to the limit", governed(CODES, strict), "F=10", { ...ended, conditions: LIMIT }],
    [
      "counts when the rule that counts is the first",
      governed([byCode("Count", [1, 2]), byCode("Ignore", [2, 3])]),
      "F=2",
      { ...again, failed: 1 },
    ],
    [
      "counts by condition when that rule is the first",
      governed([byCondition("Count", "TooLarge"), byCondition("Ignore", "DisruptionTarget")]),
      [
        {
          ...failedPod({ main: 0 }),
          status: {
            ...failedPod({ main: 0 }).status,
            conditions: ["TooLarge", "DisruptionTarget"].map((type) => ({ type, status: "True" })),
          },
        },
      ],
      { ...again, failed: 1 },
    ],
    [
      "passes over failures by condition",
      governed([byCondition("Ignore", "DisruptionTarget")], strict),
      "F!DisruptionTarget",
      again,
    ],
    [
      "fails the Job by condition",
      governed([byCondition("FailJob", "DisruptionTarget")]),
      "F!DisruptionTarget",
      { ...ended, conditions: FAILED },
    ],
    [
      "does not take a pod that is being deleted for failed",
      job({ ...strict, podFailurePolicy: { rules: [byCondition("Count", "DisruptionTarget")] } }),
      "T",
      { terminating: 1 },
    ],
    [
      "has pods wait that it passes over",
      governed([byCondition("Ignore", "DisruptionTarget")], strict),
      [pod({ uid: "pod-0", phase: "Failed", deletedMs: NOW_MS, condition: "DisruptionTarget" })],
      { released: 1 },
    ],
  ])("%s", expectOfRow);

  test.each([
    [
      "F=5",
      CODES,
      "Container c for pod default/pod-0 failed with exit code 5 matching FailJob rule at index 1",
    ],
    [
      "F!DisruptionTarget",
      [byCondition("FailJob", "DisruptionTarget")],
      "Pod default/pod-0 has condition DisruptionTarget matching FailJob rule at index 0",
    ],
  ])("says what has failed the Job: %s", async (pods, rules, message) => {
    const { messages } = await syncOnce(governed(rules), podsBy(pods));
    expect(messages).toEqual([message, message]);
  });

  test("keeps the message though the pod is another by now", async () => {
    const { messages } = await syncOnce(
      governed(CODES, {}, saysOf("FailureTarget", "PodFailurePolicy")),
      podsBy("F=5"),
    );
    expect(messages).toEqual(["as before", "as before"]);
  });
});
