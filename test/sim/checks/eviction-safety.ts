import { parseTime } from "../../../pkg/api/time.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import type { ManagerProcess } from "../world/process.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { CLOCK_RATE, EVICTION_SLACK_MS } from "./clock-limits.ts";
import { toleratedMs } from "./node-facts.ts";
import type { NodeStates, TaintSince } from "./node-states.ts";
import { RecentObjects } from "./recent-objects.ts";
import type { Write } from "./write.ts";

const CLIENT = "node-controller";

/**
 * Nobody is evicted who tolerates the taints of its node, or before its time is over. What counts is how pod and node are
 * on the server, whatever caches say: it cannot be taken back.
 */
export class EvictionSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #nodes: NodeStates;
  /** By uid. */
  readonly #pods: RecentObjects<Pod>;

  constructor(world: World, beliefs: Beliefs, nodes: NodeStates) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#nodes = nodes;
    this.#pods = new RecentObjects(world, BUCKETS["pods"] ?? "", ({ metadata }) => metadata.uid ?? "");
  }

  judge({ client, facts, bucket, event, process, line }: Write): void {
    if (client !== CLIENT || bucket !== BUCKETS["pods"]) return;
    const isMark = isMarked(event.object) && event.previous !== undefined && !isMarked(event.previous);
    if (facts.verb !== "delete" && !isMark) return;
    const sinceMs = this.#beliefs.begunMs() - EVICTION_SLACK_MS;
    const { uid = "" } = event.object.metadata;
    // The last is what this write has made of it.
    const pods = this.#pods.since(uid, sinceMs).slice(0, -1);
    const mayGo = pods.some((pod) => pod !== undefined && this.#mayGo(pod, process, sinceMs));
    if (!mayGo) this.#world.violate(`${line}: it may stay on ${(event.object as Pod).spec?.nodeName}`);
  }

  #mayGo(pod: Pod, process: ManagerProcess, sinceMs: number): boolean {
    const states = this.#nodes.since(pod.spec?.nodeName ?? "", sinceMs);
    return states.some(({ taints }) => taints.some((taint) => this.#isOver(pod, taint, process)));
  }

  #isOver(pod: Pod, since: TaintSince, process: ManagerProcess): boolean {
    const forMs = toleratedMs(pod, since.taint);
    if (forMs === 0 || forMs === Infinity) return forMs === 0;
    const leastMs = forMs * (1 - CLOCK_RATE) - EVICTION_SLACK_MS;
    return this.#isTaintOld(since, process, leastMs) && this.#isPodThere(pod, process, leastMs);
  }

  /** Who was there when it came has counted itself; others have what the taint says, and their own clock. */
  #isTaintOld(
    { sinceAtMostMs, addedAtMostMs }: TaintSince,
    process: ManagerProcess,
    leastMs: number,
  ): boolean {
    const nowMs = this.#world.clock.monotonicMs();
    if (nowMs - sinceAtMostMs >= leastMs) return true;
    const firstMs = this.#world.history.firstSeenMs(process.name, "nodes") ?? Infinity;
    return sinceAtMostMs <= firstMs && process.machine.latestNowMs() - addedAtMostMs >= leastMs;
  }

  /** The same of the pod's coming. */
  #isPodThere(pod: Pod, process: ManagerProcess, leastMs: number): boolean {
    const comeMs = this.#nodes.boundMs(pod);
    if (this.#world.clock.monotonicMs() - comeMs >= leastMs) return true;
    if (comeMs > (this.#world.history.firstSeenMs(process.name, "pods") ?? Infinity)) return false;
    const { lastTransitionTime } = podCondition(pod, "PodScheduled") ?? {};
    const createdMs = parseTime(pod.metadata.creationTimestamp) ?? Infinity;
    const boundMs = Math.max(createdMs, parseTime(lastTransitionTime) ?? createdMs);
    return process.machine.latestNowMs() - boundMs >= leastMs;
  }
}

function isMarked(pod: Pod): boolean {
  return podCondition(pod, "DisruptionTarget")?.reason === "DeletionByTaintManager";
}
