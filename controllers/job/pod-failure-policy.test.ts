import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import type { PodFailurePolicyRule } from "../../pkg/api/types/batch-v1.gen.ts";
import type { ContainerStatus, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { judgeFailure } from "./pod-failure-policy.ts";

const codes = (action: string, operator: string, ...values: readonly number[]): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator, values },
});
const condition = (action: string, status: string, type = "DisruptionTarget"): PodFailurePolicyRule => ({
  action,
  onPodConditions: [{ type, status }],
});

// upstream: pkg/controller/job/pod_failure_policy_test.go#TestMatchPodFailurePolicy
describe("exit codes", () => {
  test.each<[string, readonly PodFailurePolicyRule[], string, string]>([
    [
      "an unknown action is passed over",
      [codes("Unknown", "In", 1, 2), codes("FailJob", "In", 2, 3)],
      "main:2",
      "FailJob main 2 1",
    ],
    [
      "an unknown operator matches nothing",
      [codes("Ignore", "Unknown", 1, 2), codes("FailJob", "In", 2, 3)],
      "main:2",
      "FailJob main 2 1",
    ],
    ["no rules", [], "c:2", "none"],
    ["Ignore", [codes("Ignore", "In", 1, 2, 3)], "c:2", "Ignore"],
    ["of Windows", [codes("Ignore", "In", -1073741676, -1073741510)], "c:-1073741510", "Ignore"],
    ["FailJob", [codes("FailJob", "In", 1, 2, 3)], "main:2", "FailJob main 2 0"],
    [
      "containers that ended well are passed over",
      [codes("FailJob", "NotIn", 111)],
      "main:111 support:0 init/init:0",
      "none",
    ],
    ["FailIndex", [codes("FailIndex", "In", 1, 2, 3)], "c:2", "FailIndex"],
    ["not 0", [codes("FailJob", "NotIn", 0)], "main:1 support:0", "FailJob main 1 0"],
    [
      "the second rule",
      [codes("Count", "In", 1, 2, 3), codes("FailJob", "In", 4, 5, 6)],
      "main:6",
      "FailJob main 6 1",
    ],
    ["a container that runs is passed over", [codes("Count", "In", 1, 2, 3)], "foo: bar:2", "Count"],
    [
      "the first of many",
      [
        codes("Count", "NotIn", 8),
        codes("Ignore", "In", 1, 2, 3),
        codes("FailJob", "NotIn", 5, 6, 7),
        condition("Count", "True", "ResourceLimitExceeded"),
        condition("Ignore", "True"),
      ],
      "c:32",
      "Count",
    ],
    ["an init container", [codes("FailJob", "In", 3)], "main: init/setup:3", "FailJob setup 3 0"],
  ])("%s", (_, rules, containers, expected) => {
    expect(verdictOf(rules, podOf(containers))).toBe(expected);
  });

  test("of one container only, when the rule names it", () => {
    const rule = { action: "Ignore", onExitCodes: { containerName: "b", operator: "In", values: [2] } };
    expect(verdictOf([rule], podOf("a:2 b:3"))).toBe("none");
    expect(verdictOf([rule], podOf("a:3 b:2"))).toBe("Ignore");
  });
});

describe("conditions", () => {
  test.each<[string, readonly PodFailurePolicyRule[], string, string]>([
    [
      "an unknown action is passed over",
      [condition("Unknown", "True"), condition("Ignore", "True")],
      "True",
      "Ignore",
    ],
    ["FailIndex", [condition("FailIndex", "True")], "True", "FailIndex"],
    ["Ignore", [condition("Ignore", "True")], "True", "Ignore"],
    ["that are false", [condition("Ignore", "False")], "False", "Ignore"],
    ["that are unknown", [condition("Ignore", "Unknown")], "Unknown", "Ignore"],
    ["false is not true", [condition("Ignore", "False")], "True", "none"],
    ["true is not false", [condition("Ignore", "True")], "False", "none"],
    ["Count", [condition("Count", "True")], "True", "Count"],
  ])("%s", (_, rules, status, expected) => {
    expect(verdictOf(rules, withCondition(status))).toBe(expected);
  });

  test("FailJob", () => {
    expect(judgeFailure({ rules: [condition("FailJob", "True")] }, withCondition("True"))).toEqual({
      action: "FailJob",
      counts: true,
      failsJob: "Pod default/mypod has condition DisruptionTarget matching FailJob rule at index 0",
    });
  });
});

/** The action; for FailJob also container, code and rule. What is ignored must not count, all else must. */
function verdictOf(rules: readonly PodFailurePolicyRule[], pod: Stored<Pod>): string {
  const { action = "none", counts, failsJob } = judgeFailure({ rules }, pod);
  expect(counts).toBe(action !== "Ignore");
  if (failsJob === undefined) return action;
  const [, container, code, rule] =
    /^Container (\S+) for pod default\/mypod failed with exit code (-?\d+) matching FailJob rule at index (\d+)$/.exec(
      failsJob,
    ) ?? [];
  return `${action} ${container} ${code} ${rule}`;
}

/** E.g. "main:2 support: init/setup:0"; one without a code runs. */
function podOf(containers: string): Stored<Pod> {
  const statuses = containers.split(" ").map((text): ContainerStatus & { readonly init: boolean } => {
    const [name = "", code = ""] = text.split(":");
    const state = code === "" ? { running: {} } : { terminated: { exitCode: Number(code) } };
    const common = { image: "", imageID: "", ready: false, restartCount: 0, state };
    return { ...common, name: name.replace("init/", ""), init: name.startsWith("init/") };
  });
  return asStored<Pod>({
    metadata: { name: "mypod", namespace: "default" },
    status: {
      phase: "Failed",
      containerStatuses: statuses.filter(({ init }) => !init),
      initContainerStatuses: statuses.filter(({ init }) => init),
    },
  });
}

function withCondition(status: string): Stored<Pod> {
  return asStored<Pod>({
    metadata: { name: "mypod", namespace: "default" },
    status: { phase: "Failed", conditions: [{ type: "DisruptionTarget", status }] },
  });
}
