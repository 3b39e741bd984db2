import { hasTaint, nodeCondition, withoutTaint, withTaint } from "../../pkg/api/node.ts";
import { isSameTaint } from "../../pkg/api/taints.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Taint } from "../../pkg/api/types/core-v1.gen.ts";
import type { CachedNode } from "./fields.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";
/** By type and status of a condition. */
const KEY_OF_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
};
/** The keys of the taints that follow from what a node says of itself. */
const OWN_KEYS: ReadonlySet<string> = new Set([
  UNSCHEDULABLE,
  ...Object.values(KEY_OF_CONDITION).flatMap((keys) => Object.values(keys)),
]);
const NO_TAINTS: readonly Taint[] = [];

const notReady: Taint = { key: NOT_READY, effect: "NoExecute" };
const unreachable: Taint = { key: UNREACHABLE, effect: "NoExecute" };

/** The taints that keep new pods away, brought in line with the conditions. The same list when they are. */
export function withConditionTaints(node: CachedNode, nowMs: number): readonly Taint[] {
  const before = node.spec?.taints ?? NO_TAINTS;
  const wanted = wantedKeys(node);
  const kept = before.filter(
    ({ key, effect }) => effect !== "NoSchedule" || !OWN_KEYS.has(key) || wanted.has(key),
  );
  const present = new Set(kept.flatMap(({ key, effect }) => (effect === "NoSchedule" ? [key] : [])));
  const missing = [...wanted].filter((key) => !present.has(key));
  if (missing.length === 0 && kept.length === before.length) return before;
  const timeAdded = formatTime(nowMs);
  return [...kept, ...missing.map((key) => ({ key, effect: "NoSchedule", timeAdded }))];
}

function wantedKeys({ spec, status }: CachedNode): ReadonlySet<string> {
  const keys = (status?.conditions ?? []).flatMap((condition) => keyOfCondition(condition) ?? []);
  return new Set(spec?.unschedulable === true ? [...keys, UNSCHEDULABLE] : keys);
}

function keyOfCondition({
  type,
  status,
}: {
  readonly type: string;
  readonly status: string;
}): string | undefined {
  return Object.hasOwn(KEY_OF_CONDITION, type) ? KEY_OF_CONDITION[type]?.[status] : undefined;
}

/** The taint that drives pods away from a node of which Ready has this status; undefined: none does. */
function evictingTaint(ready: string | undefined): Taint | undefined {
  if (ready === "False") return notReady;
  return ready === "Unknown" ? unreachable : undefined;
}

export function hasEvictingTaints({ spec }: CachedNode): boolean {
  return hasTaint(spec?.taints, notReady) || hasTaint(spec?.taints, unreachable);
}

/** Whether the node has the taint that the status of Ready calls for. */
export function isTaintedFor(node: CachedNode, ready: string): boolean {
  const taint = evictingTaint(ready);
  return taint !== undefined && hasTaint(node.spec?.taints, taint);
}

/** Whether the node has the taint that another status of Ready called for. */
export function isTaintedForOther(node: CachedNode, ready: string): boolean {
  const taint = evictingTaint(ready);
  return taint !== undefined && hasTaint(node.spec?.taints, taint === notReady ? unreachable : notReady);
}

/**
 * The node's taints with the one that its Ready condition calls for, and without its opposite. One that is there stays,
 * with the time from which pods' tolerations count. The same list when nothing is to be done, as for a node that is
 * ready.
 */
export function withEvictingTaint(node: CachedNode, nowMs: number): readonly Taint[] {
  const taints = node.spec?.taints ?? NO_TAINTS;
  const taint = evictingTaint(nodeCondition(node, "Ready")?.status);
  if (taint === undefined) return taints;
  const others = withoutTaint(taints, taint === notReady ? unreachable : notReady);
  if (others.some((each) => isSameTaint(each, taint))) return others;
  return withTaint(others, { ...taint, timeAdded: formatTime(nowMs) });
}

export function withoutEvictingTaints({ spec }: CachedNode): readonly Taint[] {
  return withoutTaint(withoutTaint(spec?.taints ?? NO_TAINTS, notReady), unreachable);
}
