import { parseTime } from "../../../pkg/api/time.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Lease } from "../../../pkg/api/types/coordination-v1.gen.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { bucketName } from "../../../pkg/apiserver/server/served-resource.ts";
import { BUCKETS } from "../world/history.ts";
import { MONITOR_GRACE_MS, MONITOR_PERIOD_MS, STARTUP_GRACE_MS } from "../world/node-settings.ts";
import type { ManagerProcess } from "../world/process.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { CLOCK_RATE } from "./clock-limits.ts";
import { hasReady, isOfReady, keyOfReady, keysOf, keysThatKeepAway, readyOf } from "./node-facts.ts";
import type { NodeStates } from "./node-states.ts";
import type { Write } from "./write.ts";

const CLIENT = "node-controller";
const SLACK_MS = 1_100;
const LEASES = bucketName(resources.leases.group, resources.leases.plural);
/** Nodes with this label do not count where it is judged how a zone fares. */
const EXCLUDED = "node.kubernetes.io/exclude-disruption";
const LEASE_NAMESPACE = "kube-node-lease";

/**
 * A node that says that it lives is not called silent; taints say of a node what its conditions say in the very version
 * that they are written to; and no pod is marked as not ready whose node is ready.
 */
export class NodeSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #nodes: NodeStates;
  /** When each node gave signs of life, by name. */
  readonly #signs = new Map<string, number[]>();

  constructor(world: World, beliefs: Beliefs, nodes: NodeStates) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#nodes = nodes;
    world.server.parts.store.subscribe(LEASES, ({ type, object }) => {
      const { metadata }: Lease = object;
      if (type === "DELETED" || metadata.namespace !== LEASE_NAMESPACE) return;
      const name = metadata.name ?? "";
      const signs = this.#signs.get(name) ?? [];
      signs.push(world.clock.monotonicMs());
      this.#signs.set(name, signs);
    });
  }

  judge(write: Write): void {
    const { client, bucket, facts, event } = write;
    const { previous } = event;
    if (client !== CLIENT || previous === undefined || facts.verb !== "patch") return;
    if (bucket === BUCKETS["pods"]) return this.#judgePod(previous, write);
    if (bucket !== BUCKETS["nodes"]) return;
    if (readyOf(previous) !== readyOf(event.object) || hasReady(previous) !== hasReady(event.object))
      this.#judgeCondition(previous, write);
    this.#judgeTaints(previous, event.object, write);
  }

  /** Whoever is called silent has been so for the whole of the time that it may be. */
  #judgeCondition(before: Node, { event, process, line }: Write): void {
    if (readyOf(event.object) !== "Unknown") return this.#world.violate(`${line}: is for the kubelet to say`);
    const { name = "", creationTimestamp } = before.metadata;
    if (!hasReady(before)) {
      // The age of a node that has said nothing is told by the time of day.
      const latestMs = Math.max(process.machine.latestNowMs(), this.#world.clock.nowMs());
      const ageMs = latestMs - (parseTime(creationTimestamp) ?? 0);
      if (ageMs < STARTUP_GRACE_MS * (1 - CLOCK_RATE) - SLACK_MS)
        this.#world.violate(`${line}: it is too new to be silent`);
      return;
    }
    const silentMs = this.#silentMs(name);
    if (silentMs < MONITOR_GRACE_MS * (1 - CLOCK_RATE) - SLACK_MS)
      this.#world.violate(`${line}: it gave a sign of life ${Math.round(silentMs)} ms ago`);
  }

  #judgeTaints(before: Node, after: Node, write: Write): void {
    const calledFor = keyOfReady(readyOf(before));
    const { line } = write;
    for (const effect of ["NoExecute", "NoSchedule"]) {
      const [had, has] = [keysOf(before, effect), keysOf(after, effect)];
      const wanted = effect === "NoExecute" ? [calledFor] : keysThatKeepAway(before);
      for (const key of has)
        if (!had.includes(key) && !wanted.includes(key))
          this.#world.violate(`${line}: gets ${key}:${effect}, with Ready ${readyOf(before)}`);
      for (const key of had) {
        if (has.includes(key)) continue;
        const isOwn = effect === "NoExecute" ? isOfReady(key) : key.startsWith("node.kubernetes.io/");
        if (!isOwn) this.#world.violate(`${line}: loses ${key}:${effect}, which is another's`);
        else if (wanted.includes(key) && !(effect === "NoExecute" && this.#isReprieved(before, write)))
          this.#world.violate(`${line}: loses ${key}:${effect}, with Ready ${readyOf(before)}`);
      }
    }
  }

  /** Nobody is driven from newcomers, or anywhere while no node at all is ready. */
  #isReprieved({ metadata }: Node, { process }: Write): boolean {
    const horizonMs = this.#beliefs.horizonMs(process, ["nodes"]) - MONITOR_PERIOD_MS;
    const states = this.#nodes.since(metadata.name ?? "", horizonMs);
    if (states.some(({ node }) => node?.metadata.uid !== metadata.uid)) return true;
    const mayNotCount = (node: Node | undefined): boolean =>
      node === undefined || readyOf(node) !== "True" || node.metadata.labels?.[EXCLUDED] !== undefined;
    return this.#nodes.names.every(
      (name) =>
        this.#nodes.since(name, horizonMs).some(({ node }) => mayNotCount(node)) ||
        // A node that has been silent for long counts for nothing when that cannot be written of it.
        (this.#beliefs.isTrouble() && this.#silentMs(name) >= MONITOR_GRACE_MS * (1 - CLOCK_RATE) - SLACK_MS),
    );
  }

  #silentMs(name: string): number {
    const begunMs = this.#beliefs.begunMs();
    const sign = this.#signs.get(name)?.findLast((atMs) => atMs < begunMs) ?? 0;
    return this.#world.clock.monotonicMs() - sign;
  }

  #judgePod(before: Pod, { event, process, line }: Write): void {
    const pod: Pod = event.object;
    if (readyStatus(before) === readyStatus(pod)) return;
    if (readyStatus(pod) !== "False") return this.#world.violate(`${line}: is for the kubelet to say`);
    if (!this.#mayBeDown(pod, process)) this.#world.violate(`${line}: ${pod.spec?.nodeName} is ready`);
  }

  /** As of the last round over all nodes. */
  #mayBeDown({ spec }: Pod, process: ManagerProcess): boolean {
    const horizonMs = this.#beliefs.horizonMs(process, ["nodes"]) - 2 * MONITOR_PERIOD_MS;
    return this.#nodes
      .since(spec?.nodeName ?? "", horizonMs)
      .some(({ node }) => node === undefined || readyOf(node) !== "True");
  }
}

function readyStatus(pod: Pod): string | undefined {
  return podCondition(pod, "Ready")?.status;
}
