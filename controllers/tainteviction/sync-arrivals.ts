import type { Lister } from "../../pkg/cache/store/lister.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { evictingTaints } from "./eviction-plan.ts";
import type { CachedNode, CachedPod } from "./fields.ts";

/**
 * When pods came to nodes that evict, as far as this process has seen them come. Their stamps are of another clock: by one
 * that is ahead of it the time of a new pod would be over at once, and that of the pod which takes its place, without end.
 */
export class Arrivals {
  readonly #clock: Clock;
  readonly #nodes: Pick<Lister<CachedNode>, "get">;
  readonly #since = new Map<string, number>();

  constructor(clock: Clock, nodes: Pick<Lister<CachedNode>, "get">) {
    this.#clock = clock;
    this.#nodes = nodes;
  }

  /**
   * Of pods that came before the taint it is the taint's time that counts. A node that the cache has yet to show may have
   * taints.
   */
  observe(change: Change<CachedPod>): void {
    const { metadata, spec } = change.object;
    if (change.type === "deleted") {
      this.#since.delete(metadata.uid);
      return;
    }
    const hasCome =
      change.type === "added" ? !change.listed : change.before.spec?.nodeName !== spec?.nodeName;
    if (!hasCome) return;
    const { nodeName = "" } = spec ?? {};
    if (nodeName === "") return;
    const node = this.#nodes.get(undefined, nodeName);
    if (node === undefined || evictingTaints(node.spec?.taints).length > 0)
      this.#since.set(metadata.uid, this.#clock.monotonicMs());
  }

  sinceMs(uid: string): number | undefined {
    return this.#since.get(uid);
  }
}
