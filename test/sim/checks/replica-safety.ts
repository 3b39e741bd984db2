import type { ApiObject } from "../../../pkg/api/object.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { parseTime } from "../../../pkg/api/time.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { StoredEvent } from "../../../pkg/apiserver/storage/bucket.ts";
import { BUCKETS } from "../world/history.ts";
import { deploymentsIn, podsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import { type Beliefs, SLOW_SYNC_MS } from "./beliefs.ts";
import { type ClusterView, OWNERS } from "./cluster-view.ts";
import { Occurrences } from "./recent.ts";
import type { Write } from "./write.ts";

/** A change of these tells of sizes that the user has changed: they are followed whatever is available. */
const SIZES = ["deployment.kubernetes.io/desired-replicas", "deployment.kubernetes.io/max-replicas"];
const ROLLBACK = "deprecated.deployment.rollback.to";
/** Times of creation are told in whole seconds: a pod may be so much younger. */
const STAMP_MS = 1_000;
const KINDS = ["pods", "replicasets", "deployments", "replicationcontrollers"];
/** What Deployments, ReplicaSets and ReplicationControllers must never be made to have. */
export class ReplicaSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #view: ClusterView;
  /** Writes of which a manager does not know that they succeeded, by the uid of the owner. */
  readonly #unknown = new Occurrences();

  constructor(world: World, beliefs: Beliefs, view: ClusterView) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#view = view;
  }

  judge({ bucket, event, facts, process, client, ambiguous, line }: Write): void {
    const owner = controllerOf(event.object)?.uid ?? (event.previous && controllerOf(event.previous)?.uid);
    if (facts.subresource !== "" || owner === undefined || !OWNERS.has(client) || client === "job-controller")
      return;
    const horizonMs = this.#beliefs.horizonMs(process, KINDS);
    if (facts.verb === "patch") this.#checkClaim(event, line);
    else if (bucket === "pods" && facts.verb === "create")
      this.#checkPodCreation(event.object, owner, horizonMs, line);
    else if (bucket === "pods" && facts.verb === "delete") this.#checkPodDeletion(owner, horizonMs, line);
    else if (bucket === BUCKETS["replicasets"]) {
      if (facts.verb === "delete") this.#checkSetDeletion(event, owner, horizonMs, line);
      else this.#checkResize(event, owner, horizonMs, line);
    }
    if (ambiguous) this.#unknown.add(owner, this.#world.clock.monotonicMs());
  }

  /** Never more pods than asked for, as far as the process could know. */
  #checkPodCreation(pod: ApiObject, owner: string, horizonMs: number, line: string): void {
    const active = this.#view.activePods(owner);
    const allowed = this.#view.sizes.of(owner).max(horizonMs);
    const excused = this.#excuses(owner, horizonMs);
    if (active > allowed + excused)
      this.#world.violate(
        `${line} ${pod.metadata.name}: the ${active}th pod of an owner that asks for ${allowed}`,
      );
  }

  /** Never a pod that is needed. */
  #checkPodDeletion(owner: string, horizonMs: number, line: string): void {
    const active = this.#view.activePods(owner);
    const needed = this.#view.sizes.of(owner).min(horizonMs);
    const staying = this.#view.staying.of(owner).min(horizonMs) === 1;
    if (staying && active + this.#excuses(owner, horizonMs) < needed)
      this.#world.violate(`${line}: leaves ${active} pods of an owner that asks for ${needed}`);
  }

  /** Never more pods than desired and surge, never fewer available than the budget, by what ReplicaSets are told. */
  #checkResize({ object, previous }: ResizeEvent, owner: string, horizonMs: number, line: string): void {
    const before = previous?.spec?.replicas ?? 0;
    const after = object.spec?.replicas ?? 0;
    if (after === before || this.#excuses(owner, horizonMs) > 0) return;
    // upstream: rollback.go#rollback has the current ReplicaSet made before it goes back, and under Recreate in full.
    if (this.#deployment(owner)?.metadata.annotations?.[ROLLBACK] !== undefined) return;
    if (before === 0) this.#checkRecreation(object, owner, horizonMs, line);
    const sets = this.#view.setsOf(owner);
    const total = sum(sets.map((set) => set.spec?.replicas ?? 0));
    const most = this.#view.most.of(owner).max(horizonMs);
    if (after > before && total > most)
      this.#world.violate(`${line}: from ${before} to ${after} makes ${total} pods, more than ${most}`);
    const rescaled = SIZES.some(
      (name) =>
        previous !== undefined &&
        previous.metadata.annotations?.[name] !== object.metadata.annotations?.[name],
    );
    if (after > before || rescaled || this.#deployment(owner)?.spec?.strategy?.type !== "RollingUpdate")
      return;
    const had = this.#view.available.of(object.metadata.uid ?? "").min(horizonMs);
    if (Math.min(had, before) === Math.min(had, after)) return;
    const left = sum(
      sets.map((set) => {
        const available = this.#view.available.of(set.metadata.uid ?? "").max(horizonMs);
        return Math.min(available, set.spec?.replicas ?? 0);
      }),
    );
    const least = this.#view.least.of(owner).min(horizonMs);
    if (left < least)
      this.#world.violate(
        `${line}: from ${before} to ${after} leaves ${left} available, fewer than ${least}`,
      );
  }

  /** Where pods are recreated, no new one comes before the last old one has ended. */
  #checkRecreation(current: ReplicaSet, owner: string, horizonMs: number, line: string): void {
    const { paused, strategy } = this.#deployment(owner)?.spec ?? {};
    const hasRolled = this.#view.least.of(owner).max(horizonMs) > 0;
    if (strategy?.type !== "Recreate" || paused === true || hasRolled) return;
    const others = this.#view.setsOf(owner).filter(({ metadata }) => metadata.uid !== current.metadata.uid);
    const nowMs = this.#world.clock.nowMs();
    const knownMs = nowMs - (this.#world.clock.monotonicMs() - horizonMs);
    const old = podsIn(this.#world.server.parts.store).find(
      (pod) =>
        others.some(({ metadata }) => metadata.uid === controllerOf(pod)?.uid) &&
        !isPodTerminal(pod) &&
        (parseTime(pod.metadata.creationTimestamp ?? undefined) ?? nowMs) + STAMP_MS <= knownMs,
    );
    if (old !== undefined) this.#world.violate(`${line}: comes up while ${old.metadata.name} runs`);
  }

  /** Only revisions without pods go, and only those above the limit. */
  #checkSetDeletion({ object, previous }: ResizeEvent, owner: string, horizonMs: number, line: string): void {
    const uid = object.metadata.uid ?? "";
    const size = previous?.spec?.replicas ?? 0;
    // The deletion itself makes the size 0.
    const wasEmpty = this.#view.sizes.of(uid).since(horizonMs).slice(0, -1).includes(0);
    const pods = this.#view.active.of(uid).min(horizonMs);
    if ((size > 0 && !wasEmpty) || pods > 0)
      this.#world.violate(`${line}: a ReplicaSet of ${size} with ${pods} pods`);
    const limit = this.#view.historyLimit.of(owner).min(horizonMs, Infinity);
    const current = this.#view.paused.of(owner).max(horizonMs) === 1 ? 0 : 1;
    const left = this.#view.setsOf(owner).length - current;
    if (left + this.#excuses(owner, horizonMs) < limit)
      this.#world.violate(`${line}: leaves ${left} old ReplicaSets where ${limit} are to be kept`);
  }

  /** Nobody adopts for an owner that has been going, or gone, for as long as a recheck can take. */
  #checkClaim({ object, previous }: StoredEvent, line: string): void {
    const adopter = controllerOf(object);
    if (adopter === undefined || (previous !== undefined && controllerOf(previous)?.uid === adopter.uid))
      return;
    const recheckedMs = this.#world.clock.monotonicMs() - (this.#beliefs.isTrouble() ? SLOW_SYNC_MS : 500);
    if (this.#view.staying.of(adopter.uid).max(recheckedMs) === 0)
      this.#world.violate(`${line}: adopted by ${adopter.name}, which is going or gone`);
  }

  /** What others did meanwhile, and what the process itself may have done without knowing. */
  #excuses(owner: string, horizonMs: number): number {
    return (
      this.#view.meddling.countSince(owner, horizonMs) +
      this.#unknown.countSince(owner, horizonMs - SLOW_SYNC_MS)
    );
  }

  #deployment(uid: string): Deployment | undefined {
    return deploymentsIn(this.#world.server.parts.store).find(({ metadata }) => metadata.uid === uid);
  }
}

interface ResizeEvent {
  readonly object: ReplicaSet;
  readonly previous: ReplicaSet | undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
