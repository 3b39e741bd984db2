import type { Stored } from "../../pkg/api/object.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { classOf } from "../../pkg/api/volumes/claim-facts.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import { readLive } from "../../pkg/controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { setFailed, setPhase, tell, unbind } from "./apply.ts";
import type { PersistentVolumeContext } from "./context.ts";
import { decideVolume, isReleased, type Reclaim } from "./decide-volume.ts";
import { withMigrationOfVolume } from "./migration.ts";
import { deleterName } from "./plugins.ts";
import { deleteVolume } from "./sync-delete.ts";
import { recycleVolume } from "./sync-recycle.ts";

type Volume = Stored<PersistentVolume>;
type VolumeSync = OwnerSync<PersistentVolume>;

/** A volume that a claim is being bound to is looked at when that is done. */
export async function syncVolume(sync: VolumeSync, context: PersistentVolumeContext): Promise<SyncResult> {
  const { key } = sync;
  const { holds, wake } = context;
  if (!holds.tryHold(key, () => wake.volume(key))) return {};
  try {
    return await lookAt(sync, context);
  } catch (error) {
    // It is gone, or somebody was quicker, which the caches are about to hear of.
    if (isNotFound(error) || isConflict(error)) return { backOff: true };
    throw error;
  } finally {
    holds.release(key);
  }
}

/** upstream: pkg/controller/volume/persistentvolume/pv_controller.go#syncVolume */
async function lookAt(sync: VolumeSync, context: PersistentVolumeContext): Promise<SyncResult> {
  const { owner } = sync;
  const { volumeWrites, wake } = context;
  const migrated = withMigrationOfVolume(owner);
  const volume = migrated === owner ? owner : await volumeWrites.update(sync, migrated);
  const plan = decideVolume(volume, await claimOf(volume, context, sync.signal));
  switch (plan.do) {
    case "mark":
      await setPhase(sync, volume, { phase: plan.phase }, context);
      break;
    case "unbind":
      sync.decided("Its claim has another volume");
      await unbind(sync, volume, context);
      break;
    case "reclaim":
      await reclaim(sync, volume, plan.how, context);
      break;
    case "complain":
      tell(context, volume, plan.ofVolume);
      tell(context, plan.claim, plan.ofClaim);
      break;
    case "leave to claim":
      wake.claim(keyOf(plan.claim));
  }
  return {};
}

/** The very claim of the volume. That it is gone is believed of the server only. */
async function claimOf(
  { spec, ...volume }: Volume,
  { claims, claimClient }: PersistentVolumeContext,
  signal: AbortSignal,
): Promise<Stored<PersistentVolumeClaim> | undefined> {
  const { namespace = "", name = "", uid = "" } = spec?.claimRef ?? {};
  if (uid === "") return undefined;
  const known = claims.lister.get(namespace, name);
  if (known?.metadata.uid === uid) return known;
  if (known === undefined && isReleased(volume)) return undefined;
  return readLive(claimClient, { namespace, name, uid }, signal);
}

/** upstream: pv_controller.go#reclaimVolume */
async function reclaim(
  sync: VolumeSync,
  found: Volume,
  how: Reclaim,
  context: PersistentVolumeContext,
): Promise<void> {
  const { operations, times, wake, classes, settings } = context;
  let volume = found;
  if (!isReleased(volume)) {
    sync.decided("It is released");
    volume = await setPhase(sync, volume, { phase: "Released" }, context);
  }
  const { uid, name } = volume.metadata;
  const again = (afterMs: number): void => wake.volume(name, afterMs);
  switch (how) {
    case "keep":
      return;
    case "unknown policy":
      return setFailed(
        sync,
        volume,
        {
          reason: "VolumeUnknownReclaimPolicy",
          message: "Volume has unrecognized PersistentVolumeReclaimPolicy",
        },
        context,
      );
    case "recycle":
      return operations.start({
        name: `recycle-${name}[${uid}]`,
        work: async (signal) => recycleVolume({ owner: volume, signal }, context),
        again,
        firstDelayMs: settings.retryPeriodMs,
      });
    case "delete":
      times.begin(uid, deleterName(volume, classes.lister.get(undefined, classOf(volume))), "delete");
      return operations.start({
        name: `delete-${name}[${uid}]`,
        work: async (signal) => deleteVolume({ owner: volume, signal }, context),
        again,
      });
  }
}
