import { findCondition } from "../../pkg/api/conditions.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Condition } from "../../pkg/api/types/meta.gen.ts";
import { isEvicting } from "./device-taints.ts";
import type { CachedRule } from "./fields.ts";

const TYPE = "EvictionInProgress";
/** What a rule says of its evictions is brought up to date no more often. */
export const STATUS_PERIOD_MS = 10_000;

/** Pods, and how many namespaces they are in. */
export interface PodCount {
  readonly pods: number;
  readonly namespaces: number;
}

/** What a rule would do that has no effect yet. */
export interface RuleReach extends PodCount {
  readonly published: number;
  readonly allocated: number;
}

export interface RuleFacts {
  /** That have to go because of the rule and are still there; nobody asks where the rule evicts nobody. */
  readonly pending: PodCount;
  /** Only asked of a rule without effect. */
  readonly reach: RuleReach | undefined;
  /** Since this process began. */
  readonly evicted: number;
}

/** How long to wait before the condition may be written again; undefined: it may be now. */
export function untilNextStatusMs(
  rule: Pick<CachedRule, "metadata" | "status">,
  nowMs: number,
): number | undefined {
  const told = findCondition(rule.status?.conditions, TYPE);
  if (told === undefined || told.observedGeneration !== rule.metadata.generation) return undefined;
  const sinceMs = nowMs - (parseTime(told.lastTransitionTime) ?? 0);
  return sinceMs < STATUS_PERIOD_MS ? STATUS_PERIOD_MS - sinceMs : undefined;
}

/** What the rule is to say of its evictions, but for the time; undefined: it says so already. */
export function evictionCondition(
  rule: Pick<CachedRule, "metadata" | "spec" | "status">,
  facts: RuleFacts,
): Omit<Condition, "lastTransitionTime"> | undefined {
  const { generation = 0 } = rule.metadata;
  const { reason, message, status } = saying(rule, facts);
  const evicted = facts.evicted > 0 ? [`${pods(facts.evicted)} evicted since starting the controller.`] : [];
  const next = {
    type: TYPE,
    status: status ?? "False",
    reason,
    message: [...(message === undefined ? [] : [message]), ...evicted].join(" "),
    observedGeneration: generation,
  };
  const before = findCondition(rule.status?.conditions, TYPE);
  const isSame =
    before !== undefined &&
    before.status === next.status &&
    before.reason === reason &&
    (before.message ?? "") === next.message &&
    before.observedGeneration === generation;
  return isSame ? undefined : next;
}

interface Saying {
  readonly reason: string;
  readonly message?: string;
  readonly status?: "True";
}

function saying(rule: Pick<CachedRule, "spec">, { pending, reach, evicted }: RuleFacts): Saying {
  if (reach !== undefined) return { reason: "NoEffect", message: reachMessage(reach) };
  if (!isEvicting(rule))
    return { reason: "OtherEffect", message: "Eviction only happens for the NoExecute effect." };
  if (pending.pods > 0) {
    const need = pending.pods === 1 ? "needs" : "need";
    const message = `${pods(pending.pods)} ${need} to be evicted in ${namespaces(pending.namespaces)}.`;
    return { reason: "PodsPendingEviction", message, status: "True" };
  }
  return { reason: evicted > 0 ? "Completed" : "NotStarted" };
}

function reachMessage(reach: RuleReach): string {
  const devices = (count: number): string => (count === 1 ? "1 %s device" : `${count} %s devices`);
  return [
    `${devices(reach.published).replace("%s", "published")} selected.`,
    `${devices(reach.allocated).replace("%s", "allocated")} selected.`,
    `${pods(reach.pods)} would be evicted in ${namespaces(reach.namespaces)} if the effect was NoExecute.`,
    "This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
  ].join(" ");
}

const pods = (count: number): string => (count === 1 ? "1 pod" : `${count} pods`);
const namespaces = (count: number): string => (count === 1 ? "1 namespace" : `${count} different namespaces`);
