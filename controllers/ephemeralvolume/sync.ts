import { messageOf } from "../../pkg/api/errors.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { isClaimOfPod } from "../../pkg/api/pod-claims.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { type CachedPod, claimOfVolume, type EphemeralVolume, ephemeralVolumes } from "./claim-of-volume.ts";
import type { EphemeralVolumeContext } from "./context.ts";

type PodSync = OwnerSync<CachedPod>;

/** Sees to it that each ephemeral volume of the pod has its claim. */
export async function syncPod(sync: PodSync, context: EphemeralVolumeContext): Promise<SyncResult> {
  const { owner: pod, signal } = sync;
  if (pod.metadata.deletionTimestamp !== undefined) return {};
  for (const volume of ephemeralVolumes(pod)) {
    try {
      await makeClaim(sync, context, volume);
    } catch (error) {
      // In a namespace that is going away every create fails, and so would the event.
      if (signal.aborted || isNamespaceTerminating(error)) throw error;
      // Another manager has made it, which the cache is about to hear of; or somebody else, which it will tell then.
      if (isAlreadyExists(error)) return { backOff: true };
      const what = `ephemeral volume ${volume.name}: ${messageOf(error)}`;
      context.events.event(pod, "Warning", "FailedBinding", what);
      throw new Error(`pod ${keyOf(pod)}, ${what}`, { cause: error });
    }
  }
  return {};
}

async function makeClaim(
  sync: PodSync,
  { claims, claimWrites, attempts, failures }: EphemeralVolumeContext,
  volume: EphemeralVolume,
): Promise<void> {
  const { owner: pod } = sync;
  const claim = claimOfVolume(pod, volume);
  const known = claims.lister.getByKey(keyOf(claim));
  if (known !== undefined) {
    if (isClaimOfPod(known, pod)) return;
    throw new Error(`PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`);
  }
  sync.decided("A volume lacks its claim", { volume: volume.name });
  attempts.inc();
  try {
    await claimWrites.createUnread(sync, claim);
  } catch (error) {
    failures.inc();
    if (isAlreadyExists(error) || isNamespaceTerminating(error)) throw error;
    throw new Error(`create PVC ${claim.metadata.name}: ${messageOf(error)}`, { cause: error });
  }
}
