import { parseInt32 } from "../../pkg/api/int64.ts";
import { nextTtlSeconds } from "./cluster-sizes.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";

/** The annotation that kubelets read the TTL from. */
export const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";

/** What is read of nodes. */
export const NODE_FIELDS = [`metadata.annotations[${TTL_ANNOTATION}]`] as const;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;

/** What all nodes are to have, by the number that there is of them. */
export class CurrentTtl {
  #nodes = 0;
  #seconds = 0;

  get nodes(): number {
    return this.#nodes;
  }

  get seconds(): number {
    return this.#seconds;
  }

  /** So many nodes more, or less. True when all nodes need another TTL now. */
  count(difference: 1 | -1): boolean {
    this.#nodes += difference;
    const before = this.#seconds;
    this.#seconds = nextTtlSeconds(this.#nodes, before);
    return this.#seconds !== before;
  }

  /** Goes on from the TTL that most nodes have: who led before may have come from another side to this size. */
  takeOver(nodes: readonly CachedNode[]): void {
    const counts = new Map<number, number>();
    for (const node of nodes) {
      const seconds = ttlOf(node);
      if (seconds !== undefined) counts.set(seconds, (counts.get(seconds) ?? 0) + 1);
    }
    const [most] = counts.entries().reduce((a, b) => (b[1] > a[1] ? b : a), [this.#seconds, 0]);
    this.#seconds = nextTtlSeconds(this.#nodes, most);
  }
}

/** The TTL that a node has; undefined where that is no number. */
export function ttlOf({ metadata }: CachedNode): number | undefined {
  return parseInt32(metadata.annotations?.[TTL_ANNOTATION] ?? "");
}
