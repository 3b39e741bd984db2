import { requiredNodeAffinity } from "../../api/affinity.ts";
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

/** The node with the most room of those that the pod fits on; of equal ones the first by name. */
export function chooseNode(pod: Pod, nodes: readonly Node[], usage: ClusterUsage): Choice {
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
    const problem = reason ?? roomProblem(requests, node, usage);
    if (problem === undefined) fits.push(node);
    else reasons.set(problem, (reasons.get(problem) ?? 0) + 1);
  }
  const spread = countSpread(pod, eligible, usage);
  const allowed = fits.filter((node) => allowsSpread(spread, node));
  const refused = fits.length - allowed.length;
  if (refused > 0) reasons.set("node(s) didn't match pod topology spread constraints", refused);
  const best = mostRoom(allowed, requests, usage);
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
