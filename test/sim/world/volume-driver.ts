import { keyOf, type Stored } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass, VolumeAttachment } from "../../../pkg/api/types/storage-v1.gen.ts";
import {
  classOf,
  isBound,
  isForOneNode,
  SELECTED_NODE,
  withoutAnnotation,
} from "../../../pkg/api/volumes/claim-facts.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../../pkg/client/errors.ts";
import type { Random } from "../../../pkg/clock/random.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import {
  HOLLOW_PROVISIONER,
  hollowDriver,
  hollowVolume,
  hollowVolumeName,
  isToBeDeleted,
  isToBeMade,
  standardClass,
} from "../../../pkg/cluster/volumes/hollow-volume.ts";
import type { Cache } from "../../../pkg/controller/cache.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { type Kit, wired } from "../../../pkg/controller/kit.ts";
import type { OwnerSync, SyncResult } from "../../../pkg/controller/sync.ts";
import { itself } from "../../../pkg/controller/wake-rules.ts";
import type { Disks } from "./disks.ts";
import type { Weather } from "./weather.ts";

/** Of drivers: an attachment is there until its disk is detached, and a volume until it is attached nowhere. */
export const DETACHES_FIRST = "external-attacher/hollow-kcm-dev";
/** Of provisioners: a volume is there until its disk is gone. */
export const DELETES_FIRST = "external-provisioner.volume.kubernetes.io/finalizer";
/** How often what has been begun is tried again until it is known how it ended. */
const AGAIN_MS = 2_000;

interface DriverOptions {
  readonly disks: Disks;
  readonly weather: Weather;
  readonly random: Random;
}

/**
 * What the driver of a storage system and its companions do, on disks that are attached and detached indeed: it is slow,
 * it fails, and its answers are lost when all is done.
 */
export function volumeDriver(options: DriverOptions): ControllerDescriptor {
  return {
    name: "volume-driver",
    clientName: "volume-driver",
    eventSource: HOLLOW_PROVISIONER,
    build: wired((kit) => {
      const driver = new Driver(kit, options);
      kit.ownerQueue({
        name: "attachments",
        workers: 8,
        owners: driver.attachments,
        sync: async (sync) => driver.syncAttachment(sync),
        wakes: itself,
      });
      const claims = kit.ownerQueue({
        name: "claims",
        workers: 8,
        owners: driver.claims,
        consistency: kit.newConsistency(),
        sync: async (sync) => driver.syncClaim(sync),
        wakes: itself,
      });
      const volumes = kit.ownerQueue({
        name: "volumes",
        workers: 8,
        owners: driver.volumes,
        consistency: kit.newConsistency(),
        sync: async (sync) => driver.syncVolume(sync),
        wakes: itself,
      });
      driver.attachments.wakes(volumes, ({ type, object }, wake) => {
        if (type === "deleted") wake(object.spec.source.persistentVolumeName ?? "");
      });
      driver.classes.wakes(claims, (_change, wake) => {
        for (const claim of driver.claims.lister.list()) if (!isBound(claim)) wake(keyOf(claim));
      });
      const setUp = kit.queue({
        name: "default class",
        unmeasured: true,
        workers: 1,
        sync: async ({ signal }) => driver.setUp(signal),
      });
      setUp.work.add("standard");
    }),
  };
}

class Driver {
  readonly attachments: Cache<VolumeAttachment>;
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly volumes: Cache<PersistentVolume>;
  readonly classes: Cache<StorageClass>;
  readonly #env: Kit["env"];
  readonly #options: DriverOptions;

  constructor(kit: Kit, options: DriverOptions) {
    this.#env = kit.env;
    this.#options = options;
    this.attachments = kit.reads(resources.volumeAttachments);
    this.claims = kit.reads(resources.persistentVolumeClaims);
    this.volumes = kit.reads(resources.persistentVolumes);
    this.classes = kit.reads(resources.storageClasses);
  }

  async setUp(signal: AbortSignal): Promise<SyncResult> {
    const { client } = this.#env;
    await client.clientFor(resources.csiDrivers).create(hollowDriver(true), {}, signal);
    await client.clientFor(resources.storageClasses).create(standardClass, {}, signal);
    return {};
  }

  async syncAttachment({ owner, signal }: OwnerSync<VolumeAttachment>): Promise<SyncResult> {
    const { metadata, spec, status } = owner;
    if (spec.attacher !== HOLLOW_PROVISIONER) return {};
    const finalizers = metadata.finalizers ?? [];
    const isLeaving = metadata.deletionTimestamp !== undefined;
    if (isLeaving ? !finalizers.includes(DETACHES_FIRST) : status?.attached === true) return {};
    const clients = this.#env.client.clientFor<VolumeAttachment>(resources.volumeAttachments);
    return outrun(async () => {
      let known = owner;
      if (!isLeaving) await this.#hold(spec.source.persistentVolumeName ?? "", signal);
      if (!isLeaving && !finalizers.includes(DETACHES_FIRST)) {
        const marked = { ...metadata, finalizers: [...finalizers, DETACHES_FIRST] };
        known = await clients.update({ ...owner, metadata: marked }, {}, signal);
      }
      const problem = await this.#act(signal, () => (isLeaving ? this.#detach(owner) : this.#attach(owner)));
      if (problem !== undefined) {
        const error = { [isLeaving ? "detachError" : "attachError"]: { message: problem } };
        await clients.updateStatus(
          { ...known, status: { attached: false, ...status, ...error } },
          {},
          signal,
        );
        return { backOff: true };
      }
      if (isLeaving) {
        const left = finalizers.filter((name) => name !== DETACHES_FIRST);
        await clients.update({ ...known, metadata: { ...known.metadata, finalizers: left } }, {}, signal);
      } else await clients.updateStatus({ ...known, status: { attached: true } }, {}, signal);
      return {};
    });
  }

  async syncClaim({ owner: claim, signal }: OwnerSync<PersistentVolumeClaim>): Promise<SyncResult> {
    if (isBound(claim)) return {};
    const storageClass = this.classes.lister.get(undefined, classOf(claim));
    if (storageClass === undefined || !isToBeMade(claim, storageClass)) return {};
    const name = hollowVolumeName(claim);
    if (this.volumes.lister.get(undefined, name) !== undefined) return {};
    const { client } = this.#env;
    for (;;) {
      const isBegun = this.#options.disks.handles.includes(name);
      const problem = await this.#act(signal, () => this.#make(name));
      if (problem === undefined) break;
      if (!isBegun && !this.#options.disks.handles.includes(name)) return this.#giveBack(claim, signal);
      // Something has come of it: it is tried until its end is known, whatever becomes of the claim.
      await sleep(this.#env.clock, AGAIN_MS, signal);
    }
    const volume = hollowVolume(claim, storageClass);
    const isDeleted = storageClass.reclaimPolicy !== "Retain";
    const finalizers = isDeleted ? [DELETES_FIRST] : [];
    const metadata = { ...volume.metadata, finalizers };
    try {
      await client.clientFor(resources.persistentVolumes).create({ ...volume, metadata }, {}, signal);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    return {};
  }

  async syncVolume({ owner, signal }: OwnerSync<PersistentVolume>): Promise<SyncResult> {
    const { deletionTimestamp: _, ...rest } = owner.metadata;
    const handle = owner.spec?.csi?.volumeHandle ?? "";
    const { finalizers = [] } = owner.metadata;
    const isLeaving = owner.metadata.deletionTimestamp !== undefined;
    const isGone = isLeaving && !finalizers.includes(DELETES_FIRST);
    if (this.#isToBeLetGo(owner)) return outrun(async () => this.#letGo(owner, signal));
    // Somebody may have freed it after its disk was gone.
    const isBegun = isLeaving && !this.#options.disks.handles.includes(handle);
    if (isGone || !(isBegun || isToBeDeleted({ ...owner, metadata: rest }))) return {};
    const volumes = this.#env.client.clientFor<PersistentVolume>(resources.persistentVolumes);
    return outrun(async () => {
      const problem = await this.#act(signal, () => this.#options.disks.remove(handle));
      if (problem !== undefined) return { backOff: true };
      const { name, uid } = owner.metadata;
      await volumes.delete({ name }, { preconditions: { uid } }, signal);
      const live = await volumes.get({ name }, {}, signal);
      const left = (live.metadata.finalizers ?? []).filter((each) => each !== DELETES_FIRST);
      if (live.metadata.uid === uid)
        await volumes.update({ ...live, metadata: { ...live.metadata, finalizers: left } }, {}, signal);
      return {};
    });
  }

  /** A volume that is to be attached stays until it is not. One that is going can be held no more, and its claim does that. */
  async #hold(name: string, signal: AbortSignal): Promise<void> {
    const volume = this.volumes.lister.get(undefined, name);
    const finalizers = volume?.metadata.finalizers ?? [];
    if (volume === undefined || finalizers.includes(DETACHES_FIRST)) return;
    if (volume.metadata.deletionTimestamp !== undefined) return;
    const metadata = { ...volume.metadata, finalizers: [...finalizers, DETACHES_FIRST] };
    const volumes = this.#env.client.clientFor<PersistentVolume>(resources.persistentVolumes);
    await volumes.update({ ...volume, metadata }, {}, signal);
  }

  #isToBeLetGo({ metadata }: Stored<PersistentVolume>): boolean {
    if (metadata.deletionTimestamp === undefined || !metadata.finalizers?.includes(DETACHES_FIRST))
      return false;
    return this.attachments.lister
      .list()
      .every(({ spec }) => spec.source.persistentVolumeName !== metadata.name);
  }

  async #letGo(owner: Stored<PersistentVolume>, signal: AbortSignal): Promise<SyncResult> {
    const { finalizers = [], ...metadata } = owner.metadata;
    const left = finalizers.filter((name) => name !== DETACHES_FIRST);
    const volumes = this.#env.client.clientFor<PersistentVolume>(resources.persistentVolumes);
    await volumes.update({ ...owner, metadata: { ...metadata, finalizers: left } }, {}, signal);
    return {};
  }

  /** The scheduler is to choose again, where it chooses. */
  async #giveBack(claim: Stored<PersistentVolumeClaim>, signal: AbortSignal): Promise<SyncResult> {
    const { client } = this.#env;
    if (claim.metadata.annotations?.[SELECTED_NODE] === undefined || this.#options.random.next() < 0.5)
      return { backOff: true };
    return outrun(async () => {
      const next = withoutAnnotation(claim, SELECTED_NODE);
      await client
        .clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims)
        .update(next, {}, signal);
      return {};
    });
  }

  /** Gives why it has failed, as far as is known: all may be done nevertheless. */
  async #act(signal: AbortSignal, act: () => string | undefined): Promise<string | undefined> {
    const { weather, random } = this.#options;
    const { slowMs, failShare, lostShare } = weather.driver;
    if (slowMs > 0) await sleep(this.#env.clock, random.next() * slowMs, signal);
    const chance = random.next();
    if (chance < failShare) return "the storage system is not well";
    const problem = act();
    return chance < failShare + lostShare ? "the storage system did not answer in time" : problem;
  }

  #attach({ spec: { source, nodeName } }: VolumeAttachment): string | undefined {
    const volume = this.volumes.lister.get(undefined, source.persistentVolumeName ?? "");
    const { csi, accessModes } = volume?.spec ?? {};
    if (csi === undefined) return `there is no volume ${source.persistentVolumeName ?? ""}`;
    return this.#options.disks.attach(csi.volumeHandle, nodeName, isForOneNode(accessModes));
  }

  #detach({ spec: { source, nodeName } }: VolumeAttachment): undefined {
    const volume = this.volumes.lister.get(undefined, source.persistentVolumeName ?? "");
    // Handles are the names of their volumes here, also when these are gone.
    const handle = volume?.spec?.csi?.volumeHandle ?? source.persistentVolumeName ?? "";
    this.#options.disks.detach(handle, nodeName);
  }

  #make(handle: string): undefined {
    this.#options.disks.make(handle);
  }
}

/** Others were quicker: what they have written brings it back here. */
async function outrun(work: () => Promise<SyncResult>): Promise<SyncResult> {
  try {
    return await work();
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return { backOff: true };
    throw error;
  }
}
