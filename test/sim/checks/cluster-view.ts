import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodActive } from "../../../pkg/api/pod.ts";
import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import type { StoredEvent } from "../../../pkg/apiserver/storage/bucket.ts";
import { BUCKETS } from "../world/history.ts";
import type { World } from "../world/world.ts";
import { boundsOf } from "./bounds.ts";
import { Occurrences, RecentByKey } from "./recent.ts";

/** Controllers of Deployments, ReplicaSets and the like, by the names of their clients. */
export const OWNERS: ReadonlySet<string> = new Set([
  "deployment-controller",
  "replicaset-controller",
  "replication-controller",
  "job-controller",
]);

/**
 * The true state of the cluster, with its recent past: a controller acts on what it has been shown, so what it does is
 * judged by all that it may have believed. Keyed by uids of owners.
 */
export class ClusterView {
  /** spec.replicas of ReplicaSets and ReplicationControllers. */
  readonly sizes = new RecentByKey();
  /** status.availableReplicas of ReplicaSets. */
  readonly available = new RecentByKey();
  /** Active pods, by owner. */
  readonly active = new RecentByKey();
  /** Of Deployments: the most pods, the least available, the history limit. */
  readonly most = new RecentByKey();
  readonly least = new RecentByKey();
  readonly historyLimit = new RecentByKey();
  /** 1 for Deployments that make no ReplicaSet of a new template: all that they have may be old. */
  readonly paused = new RecentByKey();
  /** Somebody else than a controller changed what it counts: pods lost or relabelled, ReplicaSets resized or moved. */
  readonly meddling = new Occurrences();
  /** Whether an owner was there and staying (1), by its uid. */
  readonly staying = new RecentByKey();
  readonly #world: World;
  readonly #pods = new Map<string, Map<string, Pod>>();
  readonly #sets = new Map<string, Map<string, ReplicaSet>>();

  constructor(world: World) {
    this.#world = world;
    const { store } = world.server.parts;
    const follow = <T extends ApiObject>(
      resource: string,
      apply: (before: T | undefined, after: T | undefined) => void,
    ): void => {
      store.subscribe(BUCKETS[resource] ?? resource, ({ type, object, previous }: StoredEvent) => {
        apply(previous as T | undefined, type === "DELETED" ? undefined : (object as T));
      });
    };
    follow<Pod>("pods", (before, after) => this.#podChanged(before, after));
    follow<ReplicaSet>("replicasets", (before, after) => this.#setChanged(before, after));
    follow<ReplicationController>("replicationcontrollers", (before, after) =>
      this.#ownerChanged(before, after),
    );
    follow<Deployment>("deployments", (before, after) => this.#deploymentChanged(before, after));
  }

  activePods(ownerUid: string): number {
    return this.#pods.get(ownerUid)?.size ?? 0;
  }

  setsOf(deploymentUid: string): readonly ReplicaSet[] {
    return [...(this.#sets.get(deploymentUid)?.values() ?? [])];
  }

  /** Who else deletes pods or ReplicaSets, be it another controller, surprises their owners. */
  #isByOwners(): boolean {
    const { process, client } = this.#world.actor;
    return process !== undefined && OWNERS.has(client);
  }

  #podChanged(before: Pod | undefined, after: Pod | undefined): void {
    const nowMs = this.#world.clock.monotonicMs();
    const uid = (after ?? before)?.metadata.uid ?? "";
    const was = before !== undefined && isPodActive(before) ? controllerOf(before)?.uid : undefined;
    const is = after !== undefined && isPodActive(after) ? controllerOf(after)?.uid : undefined;
    const byManager = this.#isByOwners();
    if (was !== undefined && was !== is) {
      this.#pods.get(was)?.delete(uid);
      this.active.set(was, nowMs, this.activePods(was));
      if (!byManager) this.meddling.add(was, nowMs);
    }
    if (is !== undefined) {
      const pods = this.#pods.get(is) ?? new Map<string, Pod>();
      this.#pods.set(is, pods.set(uid, after as Pod));
      this.active.set(is, nowMs, pods.size);
      const relabelled = JSON.stringify(before?.metadata.labels) !== JSON.stringify(after?.metadata.labels);
      if (before !== undefined && relabelled) this.meddling.add(is, nowMs);
    }
  }

  #ownerChanged(
    before: ReplicaSet | ReplicationController | undefined,
    after: ReplicaSet | ReplicationController | undefined,
  ): void {
    const nowMs = this.#world.clock.monotonicMs();
    const uid = (after ?? before)?.metadata.uid ?? "";
    this.sizes.set(uid, nowMs, after?.spec?.replicas ?? 0);
    this.#setStaying(uid, nowMs, after);
  }

  #setChanged(before: ReplicaSet | undefined, after: ReplicaSet | undefined): void {
    this.#ownerChanged(before, after);
    const nowMs = this.#world.clock.monotonicMs();
    const uid = (after ?? before)?.metadata.uid ?? "";
    this.available.set(uid, nowMs, after?.status?.availableReplicas ?? 0);
    const was = before && controllerOf(before)?.uid;
    const is = after && controllerOf(after)?.uid;
    if (was !== undefined && was !== is) this.#sets.get(was)?.delete(uid);
    if (is !== undefined) {
      const sets = this.#sets.get(is) ?? new Map<string, ReplicaSet>();
      this.#sets.set(is, sets.set(uid, after as ReplicaSet));
    }
    const owner = is ?? was;
    const resized = was !== is || before?.spec?.replicas !== after?.spec?.replicas;
    // An adoption is a change from outside, too: it makes pods that nobody has asked for.
    const byManager = this.#isByOwners() && (was === is || after === undefined);
    if (owner !== undefined && resized && !byManager && before !== undefined) this.meddling.add(owner, nowMs);
  }

  #deploymentChanged(before: Deployment | undefined, after: Deployment | undefined): void {
    const nowMs = this.#world.clock.monotonicMs();
    const uid = (after ?? before)?.metadata.uid ?? "";
    this.#setStaying(uid, nowMs, after);
    if (after === undefined) return;
    const { most, least } = boundsOf(after);
    this.most.set(uid, nowMs, most);
    // Who recreates has none available for a while.
    this.least.set(uid, nowMs, after.spec?.strategy?.type === "RollingUpdate" ? least : 0);
    this.historyLimit.set(uid, nowMs, after.spec?.revisionHistoryLimit ?? Infinity);
    this.paused.set(uid, nowMs, after.spec?.paused === true ? 1 : 0);
  }

  #setStaying(uid: string, nowMs: number, after: ApiObject | undefined): void {
    this.staying.set(
      uid,
      nowMs,
      after !== undefined && after.metadata.deletionTimestamp === undefined ? 1 : 0,
    );
  }
}
