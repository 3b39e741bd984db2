import type { IntOrString } from "../../../pkg/api/int-or-string.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import type { DaemonSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod, Taint } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { BUCKETS } from "../world/history.ts";

/** Whether pods of it are to be on the node: its selector matches, and it tolerates the taints that users give. */
export function isFor(daemonSet: DaemonSet, node: Node): boolean {
  return mayStay(daemonSet, node) && untolerated(daemonSet, node, "NoSchedule").length === 0;
}

/** Whether one that is there may stay: a taint that only forbids scheduling does not drive it away. */
export function mayStay(daemonSet: DaemonSet, { metadata, ...node }: Node): boolean {
  const { nodeSelector = {} } = daemonSet.spec?.template?.spec ?? {};
  const matches = Object.entries(nodeSelector).every(([key, value]) => metadata.labels?.[key] === value);
  return matches && untolerated(daemonSet, { metadata, ...node }, "NoExecute").length === 0;
}

/** What pods of every DaemonSet tolerate: they stay on nodes that are down, but come to none. */
const TOLERATED: Readonly<Record<string, readonly string[]>> = {
  NoExecute: ["not-ready", "unreachable"],
  NoSchedule: ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"],
};

function untolerated(daemonSet: DaemonSet, node: Node, effect: string): readonly string[] {
  const { tolerations = [] } = daemonSet.spec?.template?.spec ?? {};
  return (node.spec?.taints ?? [])
    .filter((taint) => taint.effect === effect && !isToleratedByAll(taint))
    .map(({ key }) => key)
    .filter((key) => tolerations.every((toleration) => toleration.key !== key));
}

function isToleratedByAll({ key, effect }: Taint): boolean {
  return (TOLERATED[effect] ?? []).some((name) => key === `node.kubernetes.io/${name}`);
}

/** The node that the pod is on, or that it is meant for. */
export function nodeOf({ spec }: Pod): string {
  const [term] =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return spec?.nodeName || (term?.matchFields?.[0]?.values?.[0] ?? "");
}

/** Those that have had a pod that failed: its next one is put off, the longer the more often. Grows as they fail. */
export function failingDaemonSets(store: Store): ReadonlySet<string> {
  const failing = new Set<string>();
  store.subscribe(BUCKETS["pods"] ?? "", ({ object }) => {
    const pod: Pod = object;
    const owner = controllerOf(pod);
    if (owner?.kind === "DaemonSet" && isPodTerminal(pod)) failing.add(owner.uid);
  });
  return failing;
}

/** How many nodes may lack an available pod by an update's doing, of so many that it is for. */
export function unavailableLimit(daemonSet: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = daemonSet.spec?.updateStrategy ?? {};
  if (type !== "RollingUpdate") return 0;
  const surge = amount(rollingUpdate?.maxSurge, nodes);
  const unavailable = amount(rollingUpdate?.maxUnavailable, nodes);
  return surge === 0 && unavailable === 0 ? 1 : unavailable;
}

/** How many nodes may have two pods at a time. */
export function surgeLimit(daemonSet: DaemonSet, nodes: number): number {
  const { type, rollingUpdate } = daemonSet.spec?.updateStrategy ?? {};
  return type === "RollingUpdate" ? amount(rollingUpdate?.maxSurge, nodes) : 0;
}

/** Percentages are rounded up. */
function amount(value: IntOrString | undefined, whole: number): number {
  if (typeof value === "number") return value;
  return value === undefined ? 0 : Math.ceil((Number.parseInt(value, 10) * whole) / 100);
}
