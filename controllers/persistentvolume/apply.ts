import type { PartialObject, Stored } from "../../pkg/api/object.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../pkg/api/types/core-v1.gen.ts";
import { boundVolume } from "../../pkg/api/volumes/bound-volume.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { boundClaim, boundStatus, unboundVolume, volumeInPhase } from "./bindings.ts";
import { offerIfFree, type PersistentVolumeContext } from "./context.ts";
import type { ObjectEvent } from "./decide-claim.ts";

type Claim = Stored<PersistentVolumeClaim>;
type Volume = Stored<PersistentVolume>;
export type ClaimSync = OwnerSync<PersistentVolumeClaim>;

/**
 * The volume first, so that no other claim gets it; each step is repeated by the next sync if it fails. As long as this
 * goes on, nobody else in this process writes the volume, and no other claim finds it.
 * upstream: pkg/controller/volume/persistentvolume/pv_controller.go#bind
 */
export async function bind(
  sync: ClaimSync,
  claim: Claim,
  found: Volume,
  context: PersistentVolumeContext,
): Promise<SyncResult> {
  const { holds, free, times, wake } = context;
  const { name } = found.metadata;
  if (!holds.tryHold(name, () => wake.claim(sync.key))) return {};
  free.reserve(name);
  try {
    await writeBinding(sync, claim, found, context);
    times.succeeded(claim.metadata.uid);
    return {};
  } catch (error) {
    times.failed(claim.metadata.uid);
    throw error;
  } finally {
    free.release(name);
    holds.release(name);
    // Others were told meanwhile that there is no volume for them.
    offerIfFree(context, name, wake.claim);
  }
}

async function writeBinding(
  sync: ClaimSync,
  claim: Claim,
  found: Volume,
  context: PersistentVolumeContext,
): Promise<void> {
  const { signal } = sync;
  const { volumeWrites, claimWrites } = context;
  const writer = { owner: found, signal };
  let volume = found;
  const bound = boundVolume(volume, claim);
  if (bound !== volume) {
    sync.decided("It gets the volume", { volume: volume.metadata.name });
    volume = await volumeWrites.update(writer, bound);
  }
  volume = await setPhase(writer, volume, { phase: "Bound" }, context);
  let known = claim;
  const named = boundClaim(known, volume);
  if (named !== known) known = await claimWrites.update(sync, named);
  await setClaimStatus(sync, known, boundStatus(known, volume), context);
}

/** Gives whether there was something to write. */
export async function setClaimStatus(
  sync: ClaimSync,
  claim: Claim,
  status: PersistentVolumeClaimStatus,
  { claimWrites }: PersistentVolumeContext,
): Promise<boolean> {
  if (status === claim.status) return false;
  await claimWrites.updateStatus(sync, { ...claim, status });
  return true;
}

export interface Writing {
  readonly owner: Volume;
  readonly signal: AbortSignal;
}

export interface PhaseWish {
  readonly phase: string;
  readonly message?: string;
}

export async function setPhase(
  writer: Writing,
  volume: Volume,
  { phase, message }: PhaseWish,
  { volumeWrites }: Pick<PersistentVolumeContext, "volumeWrites">,
): Promise<Volume> {
  const marked = volumeInPhase(volume, phase, message);
  return marked === volume ? volume : volumeWrites.updateStatus(writer, marked);
}

/** The volume has failed, which is told once. upstream: pv_controller.go#updateVolumePhaseWithEvent */
export async function setFailed(
  writer: Writing,
  volume: Volume,
  { reason, message }: Omit<ObjectEvent, "type">,
  context: Pick<PersistentVolumeContext, "volumeWrites" | "events">,
): Promise<void> {
  const failed = await setPhase(writer, volume, { phase: "Failed", message }, context);
  if (failed !== volume) tell(context, failed, { type: "Warning", reason, message });
}

/** upstream: pv_controller.go#unbindVolume */
export async function unbind(
  writer: Writing,
  volume: Volume,
  context: Pick<PersistentVolumeContext, "volumeWrites">,
): Promise<void> {
  const freed = await context.volumeWrites.update(writer, unboundVolume(volume));
  await setPhase(writer, freed, { phase: "Available" }, context);
}

export function tell(
  { events }: Pick<PersistentVolumeContext, "events">,
  object: PartialObject,
  { type, reason, message }: ObjectEvent,
): void {
  events.event(object, type, reason, message);
}
