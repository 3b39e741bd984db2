import { preferredNodeAffinity, requiredNodeAffinity } from "../../api/affinity.ts";
import { untoleratedTaint } from "../../api/taints.ts";
import type { Node, Pod } from "../../api/types/core-v1.gen.ts";
import type { ClusterUsage } from "./cluster-usage.ts";
import { type Amounts, podRequests, roomOf } from "./requests.ts";
import { allowsSpread, countSpread } from "./spread.ts";

export type Choice =
  | { readonly node: string }
  /** In the words of the real scheduler: "0/3 nodes are available: 3 Insufficient cpu." */
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
  const reasons = new Map<string, number>();
  const fits: Node[] = [];
  const eligible: Node[] = [];
  for (const node of nodes) {
    const reason =
      (affinity.matches(node) ? undefined : "node(s) didn't match Pod's node affinity/selector") ??
      placeProblem(pod, node);
    if (reason === undefined) eligible.push(node);
    const problem = reason ?? roomProblem(requests, node, usage) ?? refuses(node);
    if (problem === undefined) fits.push(node);
    else reasons.set(problem, (reasons.get(problem) ?? 0) + 1);
  }
  const spread = countSpread(pod, eligible, usage);
  const allowed = fits.filter((node) => allowsSpread(spread, node));
  const refused = fits.length - allowed.length;
  if (refused > 0) reasons.set("node(s) didn't match pod topology spread constraints", refused);
  const best = mostRoom(mostWanted(pod, allowed), requests, usage);
  return best === undefined ? { node: undefined, message: explain(nodes.length, reasons) } : { node: best };
}

function placeProblem(pod: Pod, node: Node): string | undefined {
  const tolerations = pod.spec?.tolerations;
  const unschedulable = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  if (node.spec?.unschedulable === true && untoleratedTaint([unschedulable], tolerations) !== undefined) {
    return "node(s) were unschedulable";
  }
  const taint = untoleratedTaint(node.spec?.taints, tolerations, KEEPS_OUT);
  return taint && `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
}

function roomProblem(requests: Amounts, node: Node, usage: ClusterUsage): string | undefined {
  const name = node.metadata.name ?? "";
  const room = roomOf(node);
  if ((usage.podCount(name) + 1) * 1_000 > (room.get("pods") ?? Infinity)) return "Too many pods";
  const taken = usage.taken(name);
  for (const [resource, amount] of requests) {
    if (amount > 0 && (taken.get(resource) ?? 0) + amount > (room.get(resource) ?? 0)) {
      return `Insufficient ${resource}`;
    }
  }
  return undefined;
}

/** Those with the fewest taints that would rather not have the pod; of these the ones that its affinity prefers most. */
function mostWanted(pod: Pod, nodes: readonly Node[]): readonly Node[] {
  const { tolerations, affinity } = pod.spec ?? {};
  const intolerable = (node: Node): number =>
    (node.spec?.taints ?? []).filter(
      (taint) => untoleratedTaint([taint], tolerations, ["PreferNoSchedule"]) !== undefined,
    ).length;
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

function explain(total: number, reasons: ReadonlyMap<string, number>): string {
  if (total === 0) return "no nodes available to schedule pods";
  const parts = [...reasons].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${total} nodes are available: ${parts.join(", ")}.`;
}
