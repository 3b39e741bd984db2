import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import { readLive } from "../../controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";
import { type BinderContext, volumeWritten } from "./binder-context.ts";
import { BOUND_BY_CONTROLLER, withoutAnnotation } from "./claim-facts.ts";
import type { ClaimEvent } from "./decide-claim.ts";
import { decideVolume, type Reclaim, unbound } from "./decide-volume.ts";

type VolumeSync = OwnerSync<PersistentVolume>;

export async function syncVolume(
  sync: VolumeSync,
  context: BinderContext,
  wakeClaim: (claim: PersistentVolumeClaim) => void,
): Promise<SyncResult> {
  const { owner: volume, signal } = sync;
  const { events } = context;
  try {
    const claim = await claimOf(volume, context, signal);
    const plan = decideVolume(volume, claim);
    switch (plan.do) {
      case "mark":
        await mark(volume, { phase: plan.phase }, context, signal);
        break;
      case "unbind":
        sync.decided("Its claim has another volume");
        await unbind(volume, context, signal);
        break;
      case "reclaim":
        await reclaim(sync, context, plan.how);
        break;
      case "complain":
        tell(events, volume, plan.ofVolume);
        if (claim !== undefined) tell(events, claim, plan.ofClaim);
        break;
      case "leave to claim":
        if (claim !== undefined) wakeClaim(claim);
    }
    return {};
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { backOff: true };
    throw error;
  }
}

/** The very claim of the volume. That it is gone is believed of the server only. */
async function claimOf(
  { spec, status }: PersistentVolume,
  { claims, claimClient }: BinderContext,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace = "", name = "", uid = "" } = spec?.claimRef ?? {};
  if (uid === "") return undefined;
  const known = claims.lister.get(namespace, name);
  if (known?.metadata.uid === uid) return known;
  const isReleased = status?.phase === "Released" || status?.phase === "Failed";
  if (known === undefined && isReleased) return undefined;
  return readLive(claimClient, { namespace, name, uid }, signal);
}

/** What has failed stays so for its user to see, while it is tried again. */
async function reclaim(sync: VolumeSync, context: BinderContext, how: Reclaim): Promise<void> {
  const { owner, signal } = sync;
  const { events, volumeClient } = context;
  let volume: PersistentVolume = owner;
  const phase = volume.status?.phase;
  if (phase !== "Released" && phase !== "Failed") {
    sync.decided("It is released");
    volume = await mark(volume, { phase: "Released" }, context, signal);
  }
  if (how.do === "fail" && volume.status?.phase !== "Failed") {
    await mark(volume, { phase: "Failed", message: how.event.message }, context, signal);
    tell(events, volume, how.event);
  }
  if (how.do === "recycle") {
    tell(events, volume, { type: "Normal", reason: "VolumeRecycled", message: "Volume recycled" });
    await unbind(volume, context, signal);
  }
  if (how.do === "delete" && volume.metadata.deletionTimestamp === undefined) {
    const { name = "", uid = "" } = volume.metadata;
    await volumeClient.delete({ name }, { preconditions: { uid } }, signal);
  }
}

async function unbind(volume: PersistentVolume, context: BinderContext, signal: AbortSignal): Promise<void> {
  const freed = withoutAnnotation(unbound(volume), BOUND_BY_CONTROLLER);
  const answer = await context.volumeClient.update(freed, {}, signal);
  volumeWritten(context, answer);
  await mark(answer, { phase: "Available" }, context, signal);
}

async function mark(
  volume: PersistentVolume,
  { phase, message }: { readonly phase: string; readonly message?: string },
  context: BinderContext,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _, ...kept } = volume.status ?? {};
  const status = { ...kept, phase, ...(message !== undefined && { message }) };
  const answer = await context.volumeClient.updateStatus({ ...volume, status }, {}, signal);
  volumeWritten(context, answer);
  return answer;
}

function tell(
  events: BinderContext["events"],
  object: PersistentVolume | PersistentVolumeClaim,
  { type, reason, message }: ClaimEvent,
): void {
  events.event(object, type, reason, message);
}
