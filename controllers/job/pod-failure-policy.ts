import type {
  PodFailurePolicy,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyRule,
} from "../../pkg/api/types/batch-v1.gen.ts";
import type { PodOfJob } from "./job-pods.ts";

/** What the first rule that matches makes of a failed pod. */
export interface FailureVerdict {
  /** Undefined when no rule matches. */
  readonly action: "Ignore" | "FailIndex" | "Count" | "FailJob" | undefined;
  /** Whether the failure uses up some of the Job's back-off limit. */
  readonly counts: boolean;
  /** Why the Job fails, when it does. */
  readonly failsJob: string | undefined;
}

const NO_RULE: FailureVerdict = { action: undefined, counts: true, failsJob: undefined };

export function judgeFailure(policy: PodFailurePolicy | undefined, pod: PodOfJob): FailureVerdict {
  for (const [index, rule] of (policy?.rules ?? []).entries()) {
    const what = matchOf(rule, pod);
    if (what === undefined) continue;
    const failsJob =
      rule.action === "FailJob" ? `${what} matching FailJob rule at index ${index}` : undefined;
    switch (rule.action) {
      case "Ignore":
      case "FailIndex":
      case "Count":
      case "FailJob":
        return { action: rule.action, counts: rule.action !== "Ignore", failsJob };
      default:
        // An action of a later version: as if the rule were not there.
        continue;
    }
  }
  return NO_RULE;
}

/** What matches, as a message begins with it. */
function matchOf(rule: PodFailurePolicyRule, pod: PodOfJob): string | undefined {
  const { namespace, name } = pod.metadata;
  if (rule.onExitCodes !== undefined) {
    const container = containerByExitCode(rule.onExitCodes, pod);
    if (container === undefined) return undefined;
    const code = container.state?.terminated?.exitCode ?? 0;
    return `Container ${container.name} for pod ${namespace}/${name} failed with exit code ${code}`;
  }
  const condition = pod.status?.conditions?.find((each) =>
    rule.onPodConditions?.some(({ type, status = "True" }) => type === each.type && status === each.status),
  );
  return condition && `Pod ${namespace}/${name} has condition ${condition.type}`;
}

/** Containers go before init containers. Those that run, and those that ended well, match nothing. */
function containerByExitCode(requirement: PodFailurePolicyOnExitCodesRequirement, pod: PodOfJob) {
  const { containerName, operator, values } = requirement;
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return [...containerStatuses, ...initContainerStatuses].find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName !== undefined && containerName !== name)) return false;
    if (operator === "In") return values.includes(code);
    return operator === "NotIn" && !values.includes(code);
  });
}
