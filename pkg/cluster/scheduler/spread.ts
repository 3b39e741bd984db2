import { selectorFromSpec } from "../../api/label-selector.ts";
import type { LabelSelector } from "../../api/labels.ts";
import type { Node, Pod, TopologySpreadConstraint } from "../../api/types/core-v1.gen.ts";
import type { ClusterUsage } from "./cluster-usage.ts";

/** How many matching pods each value of the topology key has, of the nodes that the pod may use at all. */
export interface SpreadCounts {
  readonly constraint: TopologySpreadConstraint;
  readonly selfMatch: number;
  readonly perValue: ReadonlyMap<string, number>;
  readonly least: number;
}

/** The constraints that must hold, counted once for all nodes. */
export function countSpread(
  pod: Pod,
  eligible: readonly Node[],
  usage: ClusterUsage,
): readonly SpreadCounts[] {
  const constraints = pod.spec?.topologySpreadConstraints ?? [];
  return constraints
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
    .map((constraint) => countOne(pod, constraint, eligible, usage));
}

/** E.g. maxSkew 1 and counts a: 2, b: 1: only b may have another. */
export function allowsSpread(counts: readonly SpreadCounts[], node: Node): boolean {
  return counts.every(({ constraint, selfMatch, perValue, least }) => {
    const value = node.metadata.labels?.[constraint.topologyKey];
    if (value === undefined) return false;
    return (perValue.get(value) ?? 0) + selfMatch - least <= constraint.maxSkew;
  });
}

function countOne(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  eligible: readonly Node[],
  usage: ClusterUsage,
): SpreadCounts {
  const selector = selectorOf(pod, constraint);
  const perValue = new Map<string, number>();
  for (const node of eligible) {
    const value = node.metadata.labels?.[constraint.topologyKey];
    if (value === undefined) continue;
    let count = perValue.get(value) ?? 0;
    for (const other of usage.pods(node.metadata.name ?? "")) {
      if (other.metadata.deletionTimestamp !== undefined) continue;
      if (other.metadata.namespace === pod.metadata.namespace && selector.matches(other.metadata.labels))
        count++;
    }
    perValue.set(value, count);
  }
  const tooFewDomains = perValue.size < (constraint.minDomains ?? 0);
  const least = tooFewDomains || perValue.size === 0 ? 0 : Math.min(...perValue.values());
  return { constraint, selfMatch: selector.matches(pod.metadata.labels) ? 1 : 0, perValue, least };
}

/** matchLabelKeys stand for the pod's own values of these labels: pods of its revision only, say. */
function selectorOf(pod: Pod, constraint: TopologySpreadConstraint): LabelSelector {
  const own = (constraint.matchLabelKeys ?? []).flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  const matchLabels = { ...constraint.labelSelector?.matchLabels, ...Object.fromEntries(own) };
  return selectorFromSpec(constraint.labelSelector && { ...constraint.labelSelector, matchLabels });
}
