import { keyOf } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import type { StorageClass } from "../../api/types/storage-v1.gen.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../../client/errors.ts";
import type { Cache } from "../../controller/cache.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { type Kit, wired } from "../../controller/kit.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";
import { itself } from "../../controller/wake-rules.ts";
import { classOf, isBound, isDefaultClass } from "../../api/volumes/claim-facts.ts";
import {
  HOLLOW_PROVISIONER,
  hollowDriver,
  hollowVolume,
  hollowVolumeName,
  isToBeDeleted,
  isToBeMade,
  standardClass,
} from "./hollow-volume.ts";

/** Makes and deletes volumes without disks, and sees to it that there is a default class. */
export function hollowProvisioner(isAttached = false): ControllerDescriptor {
  return {
    name: "hollow-provisioner",
    clientName: "hollow-provisioner",
    eventSource: `${HOLLOW_PROVISIONER}_hollow`,
    build: wired((kit) => {
      const provisioner = new Provisioner(kit);
      const { claims, volumes, classes } = provisioner;
      const queue = kit.ownerQueue({
        name: "claims",
        workers: 4,
        owners: claims,
        sync: async (sync) => provisioner.syncClaim(sync),
        wakes: (change, wake) => {
          if (change.type !== "deleted") itself(change, wake);
        },
      });
      kit.ownerQueue({
        name: "volumes",
        workers: 4,
        owners: volumes,
        consistency: kit.newConsistency(),
        sync: async (sync) => provisioner.syncVolume(sync),
        wakes: (change, wake) => {
          if (isToBeDeleted(change.object)) itself(change, wake);
        },
      });
      classes.wakes(queue, (_change, wake) => {
        for (const claim of claims.lister.list()) if (!isBound(claim)) wake(keyOf(claim));
      });
      const setUp = kit.queue({
        name: "default class",
        unmeasured: true,
        workers: 1,
        sync: async ({ signal }) => provisioner.makeDefaultClass(isAttached, signal),
      });
      setUp.work.add("standard");
    }),
  };
}

class Provisioner {
  readonly claims: Cache<PersistentVolumeClaim>;
  readonly volumes: Cache<PersistentVolume>;
  readonly classes: Cache<StorageClass>;
  readonly #env: Kit["env"];

  constructor(kit: Kit) {
    this.#env = kit.env;
    this.claims = kit.reads(resources.persistentVolumeClaims);
    this.volumes = kit.reads(resources.persistentVolumes);
    this.classes = kit.reads(resources.storageClasses);
  }

  /** Once, at the start: what users have chosen, or have made of it since, stays. */
  async makeDefaultClass(isAttached: boolean, signal: AbortSignal): Promise<SyncResult> {
    const { client } = this.#env;
    await unlessThere(client.clientFor(resources.csiDrivers).create(hollowDriver(isAttached), {}, signal));
    if (this.classes.lister.list().some(isDefaultClass)) return {};
    await unlessThere(client.clientFor(resources.storageClasses).create(standardClass, {}, signal));
    return {};
  }

  async syncClaim(sync: OwnerSync<PersistentVolumeClaim>): Promise<SyncResult> {
    const { owner: claim, signal } = sync;
    if (isBound(claim)) return {};
    const storageClass = this.classes.lister.get(undefined, classOf(claim));
    if (storageClass === undefined || !isToBeMade(claim, storageClass)) return {};
    const name = hollowVolumeName(claim);
    if (this.volumes.lister.get(undefined, name) !== undefined) return {};
    sync.decided("A volume is made", { volume: name });
    const { events, client } = this.#env;
    const provisioning = `External provisioner is provisioning volume for claim ${JSON.stringify(keyOf(claim))}`;
    events.event(claim, "Normal", "Provisioning", provisioning);
    const volumes = client.clientFor<PersistentVolume>(resources.persistentVolumes);
    await unlessThere(volumes.create(hollowVolume(claim, storageClass), {}, signal));
    events.event(claim, "Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${name}`);
    return {};
  }

  async syncVolume(sync: OwnerSync<PersistentVolume>): Promise<SyncResult> {
    const { owner, signal } = sync;
    if (!isToBeDeleted(owner)) return {};
    sync.decided("It is released");
    const { name, uid } = owner.metadata;
    const volumes = this.#env.client.clientFor<PersistentVolume>(resources.persistentVolumes);
    try {
      await volumes.delete({ name }, { preconditions: { uid } }, signal);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return {};
  }
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
