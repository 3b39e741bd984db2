import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { DaemonSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import { objectsIn, ownedBy, podsIn } from "../world/objects.ts";
import type { ManagerProcess } from "../world/process.ts";
import type { World } from "../world/world.ts";
import { type Beliefs, SLOW_SYNC_MS } from "./beliefs.ts";
import { isFor, mayStay, nodeOf, surgeLimit, unavailableLimit } from "./daemon-facts.ts";
import { Occurrences } from "./recent.ts";
import { RecentObjects } from "./recent-objects.ts";
import { isHealthy, isOfTemplate } from "./stateful-facts.ts";
import type { Write } from "./write.ts";

const CLIENT = "daemon-set-controller";
const KINDS = ["pods", "daemonsets", "nodes", "controllerrevisions"];

/** Pods of DaemonSets are where they may be, never more than the surge allows, and updates keep to their budget. */
export class DaemonSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** By uid. */
  readonly #daemonSets: RecentObjects<DaemonSet>;
  readonly #pods: RecentObjects<Pod>;
  /** By name. */
  readonly #nodes: RecentObjects<Node>;
  /** Creations of which the manager does not know that they succeeded, by the uid of the DaemonSet. */
  readonly #unknown = new Occurrences();
  /** Pods that it does not know it has deleted. */
  readonly #lost: Pod[] = [];
  /** Who knows that it has deleted a pod, by the pod's uid. */
  readonly #deletedBy = new Map<string, ManagerProcess>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#daemonSets = new RecentObjects(world, bucket("daemonsets"), ({ metadata }) => metadata.uid ?? "");
    this.#pods = new RecentObjects(world, bucket("pods"), ({ metadata }) => metadata.uid ?? "");
    this.#nodes = new RecentObjects(world, bucket("nodes"), ({ metadata }) => metadata.name ?? "");
  }

  judge({ client, facts, event, process, ambiguous, line }: Write): void {
    if (client !== CLIENT || facts.resource !== "pods") return;
    const horizonMs = this.#beliefs.horizonMs(process, KINDS);
    // What a user has taken from its owner meanwhile is still known as the owner's.
    const known = [event.object, ...this.#states(event.object, horizonMs)];
    const uid = known.map((one) => one && controllerOf(one)?.uid).find((one) => one !== undefined) ?? "";
    const versions = this.#daemonSets.since(uid, horizonMs).filter((version) => version !== undefined);
    if (facts.verb === "create") {
      this.#checkCreation(event.object, versions, horizonMs, `${line} ${event.object.metadata.name}`);
      if (ambiguous) this.#unknown.add(uid, this.#world.clock.monotonicMs());
    } else if (facts.verb === "delete") {
      const pod = event.previous ?? event.object;
      this.#checkDeletion(pod, versions, horizonMs, { process, line });
      if (ambiguous) this.#lost.push(pod);
      else this.#deletedBy.set(pod.metadata.uid ?? "", process);
    }
  }

  /** On a node that it is for, and no second one but for an update, on no more nodes than the surge allows. */
  #checkCreation(pod: Pod, versions: readonly DaemonSet[], horizonMs: number, what: string): void {
    const [first] = versions;
    const node = nodeOf(pod);
    const nodes = this.#nodes.since(node, horizonMs).filter((one) => one !== undefined);
    if (first === undefined || !versions.some((version) => nodes.some((one) => isFor(version, one))))
      return this.#world.violate(`${what}: is not to be on ${node}`);
    const uid = first.metadata.uid ?? "";
    const mine = ownedBy(podsIn(this.#world.server.parts.store), first);
    const staying = mine.filter(
      (one) => one.metadata.uid !== pod.metadata.uid && this.#stayed(one, horizonMs),
    );
    const others = staying.filter((one) => nodeOf(one) === node);
    const excused = this.#unknown.countSince(uid, horizonMs - SLOW_SYNC_MS);
    if (others.length === 0 || excused > 0) return;
    const all = this.#mostNodes(horizonMs);
    const most = Math.max(...versions.map((version) => surgeLimit(version, all)));
    const isUpdate = others.some((one) =>
      versions.some((version) => !isOfTemplate(one, version.spec?.template)),
    );
    // One beside a pod that is unavailable takes nothing from the surge.
    const surging = new Set(
      [...Map.groupBy(staying, nodeOf)]
        .filter(([name, there]) => name === node || (there.length > 1 && this.#isNode(name, horizonMs)))
        .map(([name]) => name),
    ).size;
    // For how long one has been ready is a matter of clocks.
    const isFree =
      versions.some(({ spec }) => (spec?.minReadySeconds ?? 0) > 0) ||
      others.every((one) => this.#states(one, horizonMs).some((state) => !isHealthy(state)));
    if (most === 0 || !isUpdate || others.length > 1)
      this.#world.violate(`${what}: beside ${others.map((one) => one.metadata.name).join(", ")} on ${node}`);
    else if (surging > most && !isFree)
      this.#world.violate(`${what}: ${surging} nodes have two pods, more than ${most}`);
  }

  /** Pods go that have ended, are in the wrong place, or too many; for an update only as many as may be missing. */
  #checkDeletion(
    pod: Pod,
    versions: readonly DaemonSet[],
    horizonMs: number,
    { process, line: what }: Pick<Write, "process" | "line">,
  ): void {
    const [first] = versions;
    const node = nodeOf(pod);
    // The last is what this deletion has made of it.
    const states = this.#states(pod, horizonMs).slice(0, -1);
    if (first === undefined || states.some((state) => state !== undefined && isPodTerminal(state))) return;
    const nodes = this.#nodes.since(node, horizonMs);
    if (nodes.some((one) => one === undefined || versions.some((version) => !mayStay(version, one)))) return;
    const mine = ownedBy(podsIn(this.#world.server.parts.store), first);
    const lost = ownedBy(this.#lost, first);
    const others = [...mine, ...lost].filter(
      (one) => one.metadata.uid !== pod.metadata.uid && nodeOf(one) === node,
    );
    if (others.some((one) => this.#states(one, horizonMs).some((state) => isThere(state)))) return;
    const updating = versions.filter(
      ({ spec }) => spec?.updateStrategy?.type === "RollingUpdate" && !isOfTemplate(pod, spec.template),
    );
    if (updating.length === 0)
      return this.#world.violate(`${what}: runs where it should, and is not to be updated`);
    // One that is unavailable anyway may go at any time, and for how long one has been ready is a matter of clocks.
    if (versions.some(({ spec }) => (spec?.minReadySeconds ?? 0) > 0)) return;
    if (states.some((state) => !isHealthy(state))) return;
    const wanted = objectsIn<Node>(this.#world.server.parts.store, resources.nodes).filter((one) =>
      versions.every((version) => isFor(version, one)),
    );
    const missing = wanted.filter(({ metadata }) => {
      const there = mine.filter(
        (one) => nodeOf(one) === metadata.name && one.metadata.uid !== pod.metadata.uid,
      );
      const isGoing = ({ metadata: { uid = "" } }: Pod): boolean => this.#deletedBy.get(uid) === process;
      return there.every(
        (one) => isGoing(one) || this.#states(one, horizonMs).every((state) => !isHealthy(state)),
      );
    });
    const all = this.#mostNodes(horizonMs);
    const most = Math.max(...updating.map((version) => unavailableLimit(version, all)));
    if (missing.length > most)
      this.#world.violate(`${what}: leaves ${missing.length} nodes without a pod, more than ${most}`);
  }

  /** As many nodes as the process may have believed that there are: a limit may be a share of them. */
  #mostNodes(horizonMs: number): number {
    return this.#nodes.keys.filter((name) =>
      this.#nodes.since(name, horizonMs).some((one) => one !== undefined),
    ).length;
  }

  #isNode(name: string, horizonMs: number): boolean {
    return this.#nodes.since(name, horizonMs).every((state) => state !== undefined);
  }

  #states({ metadata }: Pod, horizonMs: number): readonly (Pod | undefined)[] {
    return this.#pods.since(metadata.uid ?? "", horizonMs);
  }

  /** Whatever the process may have believed, it was there and was not to go. */
  #stayed(pod: Pod, horizonMs: number): boolean {
    return this.#states(pod, horizonMs).every(
      (state) => isThere(state) && controllerOf(state as Pod) !== undefined,
    );
  }
}

function isThere(pod: Pod | undefined): boolean {
  return pod !== undefined && pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
}

function bucket(plural: string): string {
  return BUCKETS[plural] ?? plural;
}
