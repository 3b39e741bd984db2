import { preferredNodeAffinity, requiredNodeAffinity } from "../../api/affinity.ts";
import type { NodeMatcher } from "../../api/node-selector.ts";
import { untoleratedTaint } from "../../api/taints.ts";
import type { Node, Pod, Taint } from "../../api/types/core-v1.gen.ts";
import type { ClusterUsage } from "./cluster-usage.ts";
import { type Amounts, podRequests, roomOf } from "./requests.ts";
import { allowsSpread, countSpread, type SpreadCounts } from "./spread.ts";

export type Choice =
  | { readonly node: string }
  /** In the words of the real scheduler. */
  | { readonly node: undefined; readonly message: string };

const KEEPS_OUT: readonly string[] = ["NoSchedule", "NoExecute"];

/** Why the pod cannot go to a node, for what else there is than the pod and the node; undefined: it can. */
export type NodeFilter = (node: Node) => string | undefined;

/**
 * The node that pods are kept off least, then the one that the pod prefers most, then the one with the most room, of those that
 * the pod fits on; of equal ones the first by name.
 */
export function chooseNode(
  pod: Pod,
  nodes: readonly Node[],
  usage: ClusterUsage,
  refuses: NodeFilter = () => undefined,
): Choice {
  const affinity = requiredNodeAffinity(pod.spec ?? {});
  const requests = podRequests(pod);
  const refusals: Refusal[] = [];
  const fits: Node[] = [];
  const eligible: Node[] = [];
  for (const node of nodes) {
    const place = placeProblem(pod, node, affinity);
    if (place === undefined) eligible.push(node);
    const refusal = place ?? roomProblem(requests, node, usage) ?? forGood(refuses(node));
    if (refusal === undefined) fits.push(node);
    else refusals.push(refusal);
  }
  const spread = countSpread(pod, eligible, usage);
  const allowed: Node[] = [];
  for (const node of fits) {
    if (allowsSpread(spread, node)) allowed.push(node);
    else refusals.push(spreadProblem(spread, node));
  }
  const best = mostRoom(mostWanted(pod, allowed), requests, usage);
  return best === undefined
    ? { node: undefined, message: explain(pod, nodes.length, refusals) }
    : { node: best };
}

/** Why a pod does not fit on a node. */
interface Refusal {
  readonly reasons: readonly string[];
  /** It would not fit either if other pods went. */
  readonly isForGood: boolean;
}

function forGood(reason: string | undefined): Refusal | undefined {
  return reason === undefined ? undefined : { reasons: [reason], isForGood: true };
}

const unschedulable = [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }];

function placeProblem(pod: Pod, node: Node, affinity: NodeMatcher): Refusal | undefined {
  const tolerations = pod.spec?.tolerations;
  if (node.spec?.unschedulable === true && untoleratedTaint(unschedulable, tolerations) !== undefined)
    return forGood("node(s) were unschedulable");
  if (untoleratedTaint(node.spec?.taints, tolerations, KEEPS_OUT) !== undefined)
    return forGood("node(s) had untolerated taint(s)");
  return affinity.matches(node) ? undefined : forGood("node(s) didn't match Pod's node affinity/selector");
}

function roomProblem(requests: Amounts, node: Node, usage: ClusterUsage): Refusal | undefined {
  const name = node.metadata.name ?? "";
  const room = roomOf(node);
  const reasons: string[] = [];
  let isForGood = false;
  if ((usage.podCount(name) + 1) * 1_000 > (room.get("pods") ?? Infinity)) reasons.push("Too many pods");
  const taken = usage.taken(name);
  for (const [resource, amount] of requests) {
    const has = room.get(resource) ?? 0;
    if (amount <= 0 || (taken.get(resource) ?? 0) + amount <= has) continue;
    reasons.push(`Insufficient ${resource}`);
    isForGood ||= amount > has;
  }
  return reasons.length === 0 ? undefined : { reasons, isForGood };
}

function spreadProblem(spread: readonly SpreadCounts[], node: Node): Refusal {
  const reason = "node(s) didn't match pod topology spread constraints";
  const lacks = spread.some(({ constraint }) => node.metadata.labels?.[constraint.topologyKey] === undefined);
  return lacks
    ? { reasons: [`${reason} (missing required label)`], isForGood: true }
    : { reasons: [reason], isForGood: false };
}

/** Those with the fewest taints that would rather not have the pod; of these the ones that its affinity prefers most. */
function mostWanted(pod: Pod, nodes: readonly Node[]): readonly Node[] {
  const { tolerations, affinity } = pod.spec ?? {};
  const isIntolerable = (taint: Taint): boolean =>
    untoleratedTaint([taint], tolerations, ["PreferNoSchedule"]) !== undefined;
  const intolerable = ({ spec }: Node): number => spec?.taints?.filter(isIntolerable).length ?? 0;
  const terms = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const welcome = highest(nodes, (node) => -intolerable(node));
  if (terms.length === 0) return welcome;
  const preference = preferredNodeAffinity(terms);
  return highest(welcome, (node) => preference.score(node));
}

function highest(nodes: readonly Node[], scoreOf: (node: Node) => number): readonly Node[] {
  let best: Node[] = [];
  let bestScore = -Infinity;
  for (const node of nodes) {
    const score = scoreOf(node);
    if (score > bestScore) best = [];
    if (score >= bestScore) best.push(node);
    bestScore = Math.max(score, bestScore);
  }
  return best;
}

/** By the share of cpu and memory that is left, then by the number of pods. */
function mostRoom(nodes: readonly Node[], requests: Amounts, usage: ClusterUsage): string | undefined {
  let best: { readonly name: string; readonly score: number; readonly pods: number } | undefined;
  for (const node of nodes) {
    const name = node.metadata.name ?? "";
    const room = roomOf(node);
    const taken = usage.taken(name);
    const left = (resource: string): number => {
      const capacity = room.get(resource) ?? 0;
      return capacity === 0 ? 0 : 1 - ((taken.get(resource) ?? 0) + (requests.get(resource) ?? 0)) / capacity;
    };
    const score = left("cpu") + left("memory");
    const pods = usage.podCount(name);
    if (best === undefined || score > best.score || (score === best.score && pods < best.pods)) {
      best = { name, score, pods };
    }
  }
  return best?.name;
}

/** E.g. "0/3 nodes are available: 3 Insufficient cpu." and what there was to be gained by taking room from others. */
function explain({ spec }: Pod, total: number, refusals: readonly Refusal[]): string {
  if (total === 0) return "no nodes available to schedule pods";
  const nobody = `0/${total} nodes are available:`;
  const reasons = counted(refusals.flatMap((refusal) => refusal.reasons));
  const helpless = counted(
    refusals.map(({ isForGood }) =>
      isForGood ? "Preemption is not helpful for scheduling" : "No preemption victims found for incoming pod",
    ),
  );
  const preemption =
    spec?.preemptionPolicy === "Never"
      ? "not eligible due to preemptionPolicy=Never."
      : `${nobody} ${helpless}.`;
  return `${nobody} ${reasons}. no new claims to deallocate, preemption: ${preemption}`;
}

function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .toSorted()
    .join(", ");
}
