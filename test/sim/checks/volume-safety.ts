import type { PersistentVolume, PersistentVolumeClaim } from "../../../pkg/api/types/core-v1.gen.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { StorageClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import {
  BOUND_BY_CONTROLLER,
  classOf,
  isAnnotated,
  isDelayed,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from "../../../pkg/api/volumes/claim-facts.ts";
import { BUCKETS, VOLUME_BUCKETS } from "../world/history.ts";
import { objectsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { States } from "./states.ts";
import { isFree, suits } from "./volume-facts.ts";
import { stateAfter, type Write } from "./write.ts";

const BINDER = "persistent-volume-binder";
const READ = ["persistentvolumes", "persistentvolumeclaims", "storageclasses"];

/**
 * A volume has one claim, and a claim one volume. None is called free whose claim lives, none goes that is to be retained,
 * and none is made for a claim that has or could have one.
 */
export class VolumeSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  readonly #volumes: States<PersistentVolume>;
  readonly #classes: States<StorageClass>;
  /** Uids of claims that were handed to a provisioner. */
  readonly #handed = new Set<string>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#volumes = new States(world, VOLUME_BUCKETS.persistentvolumes);
    this.#classes = new States(world, VOLUME_BUCKETS.storageclasses);
  }

  judge(write: Write): void {
    const { bucket, client } = write;
    if (bucket === VOLUME_BUCKETS.persistentvolumes) {
      this.#judgeGoing(write);
      if (client === BINDER) this.#judgeVolume(write);
    }
    if (bucket === BUCKETS["persistentvolumeclaims"] && client === BINDER) this.#judgeClaim(write);
  }

  #judgeGoing({ event, line }: Write): void {
    const before: PersistentVolume | undefined = event.previous;
    if (before === undefined || before.metadata.deletionTimestamp !== undefined) return;
    const after = stateAfter(event);
    if (after !== undefined && after.metadata.deletionTimestamp === undefined) return;
    const states = this.#volumes.since(before.metadata, this.#beliefs.begunMs());
    const isKept = (volume: PersistentVolume | undefined): boolean =>
      volume === undefined ||
      volume === after ||
      volume.spec?.persistentVolumeReclaimPolicy === "Retain" ||
      volume.metadata.uid !== before.metadata.uid;
    if (states.every(isKept)) this.#world.violate(`${line}: it was to be retained`);
    const claim = this.#claimOf(before);
    if (claim !== undefined) this.#world.violate(`${line}: it is the volume of ${claim.metadata.name}`);
  }

  #judgeVolume(write: Write): void {
    const { event, line } = write;
    const before: PersistentVolume | undefined = event.previous;
    const after: PersistentVolume | undefined = stateAfter(event);
    if (before === undefined || after === undefined) return;
    const [had, has] = [before.spec?.claimRef, after.spec?.claimRef];
    const claim = this.#claimOf(after);
    if (before.status?.phase !== "Released" && after.status?.phase === "Released" && claim !== undefined)
      this.#world.violate(`${line}: calls the volume of ${claim.metadata.name} released`);
    if ((had?.uid ?? "") === (has?.uid ?? "")) return;
    const owner = this.#claimOf(before);
    if (owner?.spec?.volumeName === before.metadata.name)
      this.#world.violate(`${line}: takes the volume from ${owner?.metadata.name}`);
    if (has?.uid !== undefined) this.#judgeTaking(before, after, write);
  }

  /** It gets a claim. */
  #judgeTaking(before: PersistentVolume, after: PersistentVolume, { line, process }: Write): void {
    const { claimRef } = after.spec ?? {};
    const kept = before.spec?.claimRef;
    if (kept !== undefined && ((kept.uid ?? "") !== "" || kept.name !== claimRef?.name))
      this.#world.violate(`${line}: was ${kept.name}'s`);
    const horizonMs = this.#beliefs.horizonMs(process, READ);
    for (const other of objectsIn<PersistentVolume>(this.#store, resources.persistentVolumes)) {
      if (other.metadata.uid === after.metadata.uid || other.spec?.claimRef?.uid !== claimRef?.uid) continue;
      if (!isAnnotated(other, BOUND_BY_CONTROLLER)) continue;
      const states = this.#volumes.since(other.metadata, horizonMs);
      if (states.every((each) => each?.spec?.claimRef?.uid === claimRef?.uid))
        this.#world.violate(`${line}: ${claimRef?.name} has ${other.metadata.name} already`);
    }
  }

  #judgeClaim(write: Write): void {
    const { event, line } = write;
    const before: PersistentVolumeClaim | undefined = event.previous;
    const after: PersistentVolumeClaim | undefined = stateAfter(event);
    if (before === undefined || after === undefined) return;
    const { uid } = after.metadata;
    const name = after.spec?.volumeName ?? "";
    const states = name === "" ? [] : this.#volumes.since({ name }, this.#beliefs.begunMs());
    const wasIts = states.some((volume) => volume?.spec?.claimRef?.uid === uid);
    const isNamed = name !== "" && name !== (before.spec?.volumeName ?? "");
    const [phase, wasPhase] = [after.status?.phase, before.status?.phase];
    if ((isNamed || (phase === "Bound" && wasPhase !== "Bound")) && !wasIts)
      this.#world.violate(`${line}: ${name} is not the volume of the claim`);
    const couldBeIts = (volume: PersistentVolume | undefined): boolean =>
      volume !== undefined && (volume.spec?.claimRef === undefined || volume.spec.claimRef.uid === uid);
    const isStillIts = states.length > 0 && states.every(couldBeIts);
    if (phase === "Lost" && wasPhase !== "Lost" && isStillIts)
      this.#world.violate(`${line}: it has ${name} still`);
    if (!isAnnotated(before, STORAGE_PROVISIONER) && isAnnotated(after, STORAGE_PROVISIONER))
      this.#judgeProvisioning(before, write);
  }

  /** A provisioner is asked for a volume. */
  #judgeProvisioning(claim: PersistentVolumeClaim, { line, process }: Write): void {
    const { uid = "" } = claim.metadata;
    if (this.#handed.has(uid)) this.#world.violate(`${line}: asks for a volume once more`);
    this.#handed.add(uid);
    if ((claim.spec?.volumeName ?? "") !== "") this.#world.violate(`${line}: it has a volume`);
    const horizonMs = this.#beliefs.horizonMs(process, READ);
    const classes = this.#classes.since({ name: classOf(claim) }, horizonMs);
    if (classes.every(isDelayed)) {
      if (!isAnnotated(claim, SELECTED_NODE)) this.#world.violate(`${line}: no pod of the claim has a node`);
      return;
    }
    // Others that it could be for may be about to get it.
    const rivals = objectsIn<PersistentVolumeClaim>(this.#store, resources.persistentVolumeClaims).filter(
      ({ metadata, spec }) => metadata.uid !== uid && (spec?.volumeName ?? "") === "",
    );
    for (const volume of objectsIn<PersistentVolume>(this.#store, resources.persistentVolumes)) {
      if (!suits(volume, claim) || rivals.some((other) => suits(volume, other))) continue;
      const states = this.#volumes.since(volume.metadata, horizonMs);
      if (states.every((each) => each !== undefined && isFree(each)))
        this.#world.violate(`${line}: ${volume.metadata.name} is free`);
    }
  }

  /** The very claim that the volume is bound to, if that lives and has no other volume. */
  #claimOf({ metadata, spec }: PersistentVolume): PersistentVolumeClaim | undefined {
    const { uid = "" } = spec?.claimRef ?? {};
    if (uid === "") return undefined;
    return objectsIn<PersistentVolumeClaim>(this.#store, resources.persistentVolumeClaims).find(
      (claim) => claim.metadata.uid === uid && ["", metadata.name].includes(claim.spec?.volumeName ?? ""),
    );
  }

  get #store() {
    return this.#world.server.parts.store;
  }
}
