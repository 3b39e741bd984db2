import { isDeepStrictEqual } from "node:util";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { BUCKETS } from "../world/history.ts";
import { objectsIn, ownedBy } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { RecentObjects } from "./recent-objects.ts";
import { isAsked, isHealthy, isOfTemplate, isUpdatable, ordinalOf, ordinalsOf } from "./stateful-facts.ts";
import { type Write, stateAfter } from "./write.ts";

const CLIENT = "statefulset-controller";
const KINDS = ["pods", "statefulsets", "controllerrevisions", "persistentvolumeclaims"];

/** Pods of StatefulSets come and go in their order, for a reason, and claims stay as long as they should. */
export class StatefulSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** By uid. */
  readonly #sets: RecentObjects<StatefulSet>;
  /** By namespace and name, which is what an ordinal has: whoever has the name has the place. */
  readonly #places: RecentObjects<Pod>;
  /** When revisions came, by uid. */
  readonly #revisedMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#sets = new RecentObjects(world, bucket("statefulsets"), ({ metadata }) => metadata.uid ?? "");
    this.#places = new RecentObjects(
      world,
      bucket("pods"),
      ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
    );
    world.server.parts.store.subscribe(bucket("controllerrevisions"), ({ type, object }) => {
      if (type === "ADDED") this.#revisedMs.set(object.metadata.uid ?? "", world.clock.monotonicMs());
    });
  }

  judge(write: Write): void {
    const { client, facts, event, process } = write;
    if (client !== CLIENT) return;
    const horizonMs = this.#beliefs.horizonMs(process, KINDS);
    // What a user has taken from its owner meanwhile is still known as the owner's.
    const known = [event.object, ...this.#states(event.object, horizonMs)];
    const uid = known.map((one) => one && controllerOf(one)?.uid).find((one) => one !== undefined) ?? "";
    const sets = this.#sets.since(uid, horizonMs).filter((set) => set !== undefined);
    if (facts.resource === "pods" && facts.verb === "create")
      this.#checkCreation(event.object, sets, horizonMs, write);
    else if (facts.resource === "pods" && facts.verb === "delete")
      this.#checkDeletion(event.previous ?? event.object, sets, horizonMs, write);
    else if (write.bucket === bucket("persistentvolumeclaims")) this.#checkClaim(write, horizonMs);
    else if (facts.resource === "controllerrevisions" && facts.verb === "create")
      this.#checkRevision(event.object as ControllerRevision, sets, horizonMs, write);
  }

  /** A place that is asked for; where pods come in turn, all before it were seen ready. */
  #checkCreation(pod: Pod, sets: readonly StatefulSet[], horizonMs: number, { line }: Write): void {
    const ordinal = ordinalOf(pod);
    // The name is what makes an ordinal the only one of its kind.
    const asking = sets.filter(
      (set) => pod.metadata.name === `${set.metadata.name}-${ordinal}` && isAsked(set, ordinal),
    );
    const what = `${line} ${pod.metadata.name}`;
    if (asking.length === 0) return this.#world.violate(`${what}: nobody asks for it`);
    const index = pod.metadata.labels?.["apps.kubernetes.io/pod-index"];
    if (index !== String(ordinal)) this.#world.violate(`${what}: says that it is ${index}`);
    if (asking.every(({ metadata }) => metadata.deletionTimestamp !== undefined))
      this.#world.violate(`${what}: its StatefulSet is being deleted`);
    if (asking[0]?.spec?.podManagementPolicy === "Parallel") return;
    const unready = this.#neverReady(asking, (other) => other < ordinal, horizonMs);
    if (unready.length > 0) this.#world.violate(`${what}: before ${unready.join(", ")} are ready`);
  }

  /** Pods go that have ended, that are not asked for any more, or that are of an old template; these in their order. */
  #checkDeletion(pod: Pod, sets: readonly StatefulSet[], horizonMs: number, { line }: Write): void {
    const ordinal = ordinalOf(pod);
    const states = this.#states(pod, horizonMs);
    const isOf = ({ spec }: StatefulSet): boolean => isOfTemplate(pod, spec?.template);
    const staying = sets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (
      staying.some((set) => isAsked(set, ordinal)) &&
      states.some((state) => state !== undefined && isPodTerminal(state))
    )
      return;
    const updating = staying.filter(
      (set) => isAsked(set, ordinal) && isUpdatable(set, ordinal) && !isOf(set),
    );
    const condemning = staying.filter((set) => !isAsked(set, ordinal));
    if (updating.length === 0 && condemning.length === 0)
      return this.#world.violate(`${line}: it is asked for, runs, and is not to be updated`);
    const updateProblem =
      updating.length > 0 ? this.#updateProblem(updating, ordinal, horizonMs) : "it is not to be updated";
    if (updateProblem === undefined || condemning[0]?.spec?.podManagementPolicy === "Parallel") return;
    const scaleProblem =
      condemning.length > 0 ? this.#scaleProblem(condemning, ordinal, pod, horizonMs) : "it is asked for";
    if (scaleProblem !== undefined) this.#world.violate(`${line}: ${updateProblem}; ${scaleProblem}`);
  }

  /** Whoever comes after it has been updated, and was seen ready since. */
  #updateProblem(sets: readonly StatefulSet[], ordinal: number, horizonMs: number): string | undefined {
    const unready = this.#neverReady(sets, (other) => other > ordinal, horizonMs, true);
    return unready.length > 0 ? `is updated before ${unready.join(", ")} are ready` : undefined;
  }

  /** All that are asked for were seen ready, and all after it that are not were seen gone. */
  #scaleProblem(
    sets: readonly StatefulSet[],
    ordinal: number,
    pod: Pod,
    horizonMs: number,
  ): string | undefined {
    const unready = this.#neverReady(sets, () => true, horizonMs);
    if (unready.length > 0) return `is scaled down while ${unready.join(", ")} are not ready`;
    const later = Array.from({ length: MOST }, (_, index) => ordinal + 1 + index).filter((other) =>
      sets.every((set) => !isAsked(set, other)),
    );
    const there = later.filter((other) =>
      this.#states({ ...pod, metadata: { ...pod.metadata, name: nameOf(pod, other) } }, horizonMs).every(
        (state) => state !== undefined && controllerOf(state)?.uid === controllerOf(pod)?.uid,
      ),
    );
    return there.length > 0 ? `is scaled down before ${there.join(", ")}` : undefined;
  }

  /** Of those that every version asks for, the ones that were ready at no time. */
  #neverReady(
    sets: readonly StatefulSet[],
    matters: (ordinal: number) => boolean,
    horizonMs: number,
    updated = false,
  ): readonly number[] {
    const [first] = sets;
    if (first === undefined) return [];
    const always = ordinalsOf(first).filter(
      (ordinal) => matters(ordinal) && sets.every((set) => isAsked(set, ordinal)),
    );
    return always.filter((ordinal) => {
      const { namespace, name } = first.metadata;
      const states = this.#places.since(`${namespace}/${name}-${ordinal}`, horizonMs);
      return !states.some(
        (pod) =>
          isHealthy(pod) &&
          (!updated ||
            sets.some((set) => !isUpdatable(set, ordinal) || isOfTemplate(pod as Pod, set.spec?.template))),
      );
    });
  }

  #states({ metadata }: Pod, horizonMs: number): readonly (Pod | undefined)[] {
    return this.#places.since(`${metadata.namespace}/${metadata.name}`, horizonMs);
  }

  /** Claims are never deleted, and are tied to nothing that goes unless the policy says so. */
  #checkClaim({ event, facts, line }: Write, horizonMs: number): void {
    if (facts.verb === "delete") return this.#world.violate(`${line}: deletes a claim`);
    const claim: PersistentVolumeClaim | undefined = stateAfter(event);
    const before = event.previous?.metadata.ownerReferences ?? [];
    for (const { uid, kind, name } of claim?.metadata.ownerReferences ?? []) {
      if (before.some((owner) => owner.uid === uid)) continue;
      const allowed =
        kind === "Pod"
          ? this.#allSetsSince(horizonMs).some(
              (set) =>
                set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" &&
                name.startsWith(`${set.metadata.name}-`) &&
                !isAsked(set, Number(name.split("-").at(-1))),
            )
          : this.#sets
              .since(uid, horizonMs)
              .some((set) => set?.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === "Delete");
      if (!allowed) this.#world.violate(`${line}: gives it to ${kind} ${name} against the policy`);
    }
  }

  #allSetsSince(horizonMs: number): readonly StatefulSet[] {
    return this.#sets.keys
      .flatMap((key) => this.#sets.since(key, horizonMs))
      .filter((set) => set !== undefined);
  }

  /** No revision that there is already. */
  #checkRevision(
    revision: ControllerRevision,
    sets: readonly StatefulSet[],
    horizonMs: number,
    { line }: Write,
  ): void {
    const [set] = sets;
    if (set === undefined) return;
    const all = objectsIn<ControllerRevision>(this.#world.server.parts.store, resources.controllerRevisions);
    const twin = ownedBy(all, set).find(
      ({ metadata, data }) =>
        metadata.uid !== revision.metadata.uid &&
        (this.#revisedMs.get(metadata.uid ?? "") ?? 0) < horizonMs &&
        isDeepStrictEqual(data, revision.data),
    );
    if (twin !== undefined)
      this.#world.violate(`${line} ${revision.metadata.name}: says what ${twin.metadata.name} says`);
  }
}

/** More places than any StatefulSet here has. */
const MOST = 12;

function nameOf({ metadata }: Pod, ordinal: number): string {
  return (metadata.name ?? "").replace(/\d+$/, String(ordinal));
}

function bucket(plural: string): string {
  return BUCKETS[plural] ?? plural;
}
