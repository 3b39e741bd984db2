import { requiredNodeAffinity } from "../../pkg/api/affinity.ts";
import { type TolerationOptions, untoleratedTaint } from "../../pkg/api/taints.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { podTemplate } from "./daemon-set.ts";
import { daemonTolerations } from "./pod-template.ts";
import type { CachedNode } from "./fields.ts";

export interface NodeFit {
  /** A node without a pod gets one. */
  readonly shouldRun: boolean;
  /** A pod that is on the node may stay. */
  readonly shouldContinueRunning: boolean;
}

export function sameFit(one: NodeFit, other: NodeFit): boolean {
  return one.shouldRun === other.shouldRun && one.shouldContinueRunning === other.shouldContinueRunning;
}

/** Tells for each node how it fits one DaemonSet. */
export type FitsNode = (node: CachedNode) => NodeFit;

const NO: NodeFit = { shouldRun: false, shouldContinueRunning: false };
const ONLY_STAY: NodeFit = { shouldRun: false, shouldContinueRunning: true };
const YES: NodeFit = { shouldRun: true, shouldContinueRunning: true };

/**
 * Which nodes a DaemonSet is for: those that its template's node name, node selector and required affinity allow, and
 * whose taints its pods tolerate. A taint that only forbids scheduling leaves pods that are there already alone.
 * Whether a node is ready or has room is not asked: that is for the taints and the scheduler.
 */
export function nodeFit(daemonSet: DaemonSet, options: TolerationOptions): FitsNode {
  const { nodeName, ...spec } = podTemplate(daemonSet).spec ?? { containers: [] };
  const tolerations = daemonTolerations(spec);
  // Terms that cannot be parsed match no node.
  const affinity = requiredNodeAffinity(spec);
  return (node) => {
    if (nodeName && nodeName !== node.metadata.name) return NO;
    if (!affinity.matches(node)) return NO;
    const taints = node.spec?.taints;
    const untolerated = (...effects: string[]): boolean =>
      untoleratedTaint(taints, tolerations, effects, options) !== undefined;
    if (untolerated("NoExecute")) return NO;
    return untolerated("NoSchedule") ? ONLY_STAY : YES;
  };
}

/** As nodeFit, but computed once per version of a DaemonSet: objects of a cache are replaced, never changed. */
export function rememberedNodeFit(options: TolerationOptions): (daemonSet: DaemonSet) => FitsNode {
  const known = new WeakMap<DaemonSet, FitsNode>();
  return (daemonSet) => {
    const before = known.get(daemonSet);
    if (before !== undefined) return before;
    const fits = nodeFit(daemonSet, options);
    known.set(daemonSet, fits);
    return fits;
  };
}
