import { isPodTerminal } from "../../api/pod.ts";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import { addInto, type Amounts, podRequests } from "./requests.ts";

interface Placement {
  readonly pod: Pod;
  readonly node: string;
  readonly requests: Amounts;
}

/** What of each node is taken, and by which pods: as seen, and as decided but not seen yet. */
export class ClusterUsage {
  readonly #placements = new Map<string, Placement>();
  readonly #taken = new Map<string, Map<string, number>>();
  readonly #pods = new Map<string, Map<string, Pod>>();

  /** Takes note of a pod as it is now; one that has ended takes nothing any more. */
  update(pod: Pod): void {
    const node = pod.spec?.nodeName;
    if (node === undefined || isPodTerminal(pod)) this.remove(pod);
    else this.place(pod, node);
  }

  place(pod: Pod, node: string): void {
    const uid = pod.metadata.uid ?? "";
    const before = this.#placements.get(uid);
    if (before !== undefined) this.remove(before.pod);
    const placement = { pod, node, requests: before?.requests ?? podRequests(pod) };
    this.#placements.set(uid, placement);
    addInto(entry(this.#taken, node), placement.requests);
    entry(this.#pods, node).set(uid, pod);
  }

  remove(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const placement = this.#placements.get(uid);
    if (placement === undefined) return;
    this.#placements.delete(uid);
    addInto(entry(this.#taken, placement.node), placement.requests, -1);
    entry(this.#pods, placement.node).delete(uid);
  }

  /** The node that the pod is on, or is about to come to. */
  nodeOf({ metadata }: Pod): string | undefined {
    return this.#placements.get(metadata.uid ?? "")?.node;
  }

  taken(node: string): Amounts {
    return this.#taken.get(node) ?? new Map<string, number>();
  }

  pods(node: string): Iterable<Pod> {
    return this.#pods.get(node)?.values() ?? [];
  }

  podCount(node: string): number {
    return this.#pods.get(node)?.size ?? 0;
  }
}

function entry<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let inner = map.get(key);
  if (inner === undefined) {
    inner = new Map();
    map.set(key, inner);
  }
  return inner;
}
