import { defineController } from "../../pkg/controller/kit.ts";
import {
  type PersistentVolumeContext,
  persistentVolumeContext,
  type PersistentVolumeSettings,
} from "./context.ts";
import { claimRule, classRule, followVolume, podEndRule, podRule, volumeRule } from "./handlers.ts";
import { offerAgain, syncClaim } from "./sync-claim.ts";
import { operationName } from "./sync-provision.ts";
import { syncVolume } from "./sync-volume.ts";

/** Claims are bound side by side. upstream has one worker for all claims, and one for all volumes. */
const WORKERS = 16;

/** Brings claims and volumes together, has volumes made, and reclaims those that are released. */
export const persistentVolumeController = defineController(
  {
    name: "persistentvolume-binder-controller",
    clientName: "persistent-volume-binder",
    eventSource: "persistentvolume-controller",
  },
  (kit, settings: PersistentVolumeSettings) => {
    const context: PersistentVolumeContext = persistentVolumeContext(kit, settings, {
      claim: (key, afterMs) =>
        afterMs === undefined ? claimQueue.add(key) : claimQueue.addAfter(key, afterMs),
      volume: (name, afterMs) =>
        afterMs === undefined ? volumeQueue.add(name) : volumeQueue.addAfter(name, afterMs),
    });
    const { claims, volumes, classes, pods, operations, waiting, times, collector } = context;
    kit.task(async (signal) => operations.run(signal));
    volumes.hears((change) => {
      followVolume(change, context);
      if (change.type !== "deleted") return;
      const { name, uid } = change.object.metadata;
      for (const what of ["recycle", "delete"]) operations.forget(`${what}-${name}[${uid}]`);
    });
    claims.hears((change) => {
      collector.claim(change);
      if (change.type !== "deleted") return;
      times.forget(change.object.metadata.uid);
      operations.forget(operationName(change.object));
    });
    const claimQueue = kit.ownerQueue({
      name: "claims",
      workers: WORKERS,
      owners: claims,
      sync: async (sync) => syncClaim(sync, context),
      gone: (key) => {
        waiting.remove(key);
        offerAgain(key, context);
      },
    });
    const volumeQueue = kit.ownerQueue({
      name: "volumes",
      workers: WORKERS,
      owners: volumes,
      consistency: context.ofVolumes,
      sync: async (sync) => syncVolume(sync, context),
    });
    volumes.wakes(claimQueue, volumeRule(context));
    claims.wakes(volumeQueue, claimRule(context));
    classes.wakes(claimQueue, classRule(context));
    pods.wakes(claimQueue, podRule(context));
    pods.wakes(volumeQueue, podEndRule(context));
  },
);
