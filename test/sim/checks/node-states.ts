import { parseTime } from "../../../pkg/api/time.ts";
import type { Node, Pod, Taint } from "../../../pkg/api/types/core-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import type { World } from "../world/world.ts";
import { isOfReady } from "./node-facts.ts";
import { stateAfter } from "./write.ts";

/** A taint that evicts, and when it came, by the one true clock. */
export interface TaintSince {
  readonly taint: Taint;
  readonly sinceMs: number;
  /** As far back as one may believe who has not been shown that it was gone for a while. */
  readonly sinceAtMostMs: number;
  /** The earliest time that it, or another of the same outage, has said of itself, by whatever clock. */
  readonly addedAtMostMs: number;
  /** When it went from the node last. */
  readonly goneMs?: number;
}

/** What a node was for a while. */
export interface NodeState {
  readonly atMs: number;
  /** Undefined: there was none of the name. */
  readonly node: Node | undefined;
  readonly taints: readonly TaintSince[];
}

/** Taints that carry no time look the same when they come again: nobody may have noticed a gap as short as this. */
const UNNOTICED_GAP_MS = 180_000;

const atFirst: NodeState = { atMs: 0, node: undefined, taints: [] };

/** All that nodes have been, by name, and since when pods are on them, by uid. */
export class NodeStates {
  readonly #states = new Map<string, NodeState[]>();
  /** Taints that have gone, by the uid of the node, key and effect. */
  readonly #gone = new Map<string, TaintSince>();
  readonly #bound = new Map<string, number>();

  constructor(world: World) {
    const { store } = world.server.parts;
    const nowMs = (): number => world.clock.monotonicMs();
    store.subscribe(BUCKETS["nodes"] ?? "", (event) => {
      const node: Node | undefined = stateAfter(event);
      this.#add(event.object.metadata.name ?? "", nowMs(), node);
    });
    store.subscribe(BUCKETS["pods"] ?? "", ({ object }) => {
      const pod: Pod = object;
      const { uid = "" } = pod.metadata;
      if (pod.spec?.nodeName && !this.#bound.has(uid)) this.#bound.set(uid, nowMs());
    });
  }

  /** What it was just before that time, and after. */
  since(name: string, ms: number): readonly NodeState[] {
    const states = this.#states.get(name) ?? [];
    let first = states.length - 1;
    while (first >= 0 && (states[first]?.atMs ?? 0) >= ms) first--;
    const later = states.slice(Math.max(0, first));
    return first < 0 ? [atFirst, ...later] : later;
  }

  now(name: string): NodeState {
    return this.#states.get(name)?.at(-1) ?? atFirst;
  }

  get names(): readonly string[] {
    return [...this.#states.keys()];
  }

  /** When the pod came to its node. */
  boundMs({ metadata }: Pod): number {
    return this.#bound.get(metadata.uid ?? "") ?? Infinity;
  }

  #add(name: string, atMs: number, node: Node | undefined): void {
    const states = this.#states.get(name) ?? [];
    const last = states.at(-1);
    const before = last?.taints ?? [];
    const isSame = node !== undefined && last?.node?.metadata.uid === node.metadata.uid;
    // Pods of a node that is gone go at the time that its taints have set.
    const taints = node === undefined ? before : this.#taintsOf(node, isSame ? before : [], atMs);
    states.push({ atMs, node, taints });
    this.#states.set(name, states);
  }

  #taintsOf(node: Node, before: readonly TaintSince[], nowMs: number): readonly TaintSince[] {
    const evicting = (node.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
    const uid = node.metadata.uid ?? "";
    for (const each of before)
      if (evicting.every(({ key }) => key !== each.taint.key))
        this.#gone.set(`${uid} ${each.taint.key}`, { ...each, goneMs: nowMs });
    return evicting.map((taint) => {
      const same = before.find((each) => each.taint.key === taint.key);
      // Whether a kubelet says that it is not well or nobody hears of it: that is one outage.
      const outage = isOfReady(taint.key) ? before.filter((each) => isOfReady(each.taint.key)) : [];
      const known = same?.taint.timeAdded === taint.timeAdded ? [same, ...outage] : outage;
      const earlier = known.filter((each) => each !== undefined);
      const gone = this.#gone.get(`${uid} ${taint.key}`);
      const isLikeGone =
        gone !== undefined &&
        gone.taint.timeAdded === taint.timeAdded &&
        nowMs - (gone.goneMs ?? 0) < UNNOTICED_GAP_MS;
      const mayBeBefore = [...earlier, ...(isLikeGone ? [gone] : [])];
      return {
        taint,
        sinceMs: Math.min(nowMs, ...earlier.map(({ sinceMs }) => sinceMs)),
        sinceAtMostMs: Math.min(nowMs, ...mayBeBefore.map(({ sinceAtMostMs }) => sinceAtMostMs)),
        addedAtMostMs: Math.min(
          parseTime(taint.timeAdded) ?? Infinity,
          ...mayBeBefore.map(({ addedAtMostMs }) => addedAtMostMs),
        ),
      };
    });
  }
}
