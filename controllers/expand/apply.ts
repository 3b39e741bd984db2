import { messageOf } from "../../pkg/api/errors.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { PersistentVolumeClaimStatus } from "../../pkg/api/types/core-v1.gen.ts";
import {
  PRE_RESIZE_CAPACITY,
  STORAGE_RESIZER,
  withResizeDone,
  withResizeOnController,
  withResizeOnNode,
} from "../../pkg/api/volumes/claim-resize.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { ExpandContext } from "./context.ts";
import type { CachedClaim, CachedVolume, ExpansionPlan } from "./expansion.ts";

export type ClaimSync = OwnerSync<CachedClaim>;
type ResizePart = Pick<
  PersistentVolumeClaimStatus,
  "allocatedResources" | "allocatedResourceStatuses" | "capacity" | "conditions"
>;

interface ClaimChange {
  readonly status: ResizePart;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Says on the claim which driver is to make its volume larger. */
export async function handOver(
  sync: ClaimSync,
  { claimWrites, events }: ExpandContext,
  { plugin, driver }: Extract<ExpansionPlan, { kind: "hand over" }>,
): Promise<void> {
  const { owner: claim } = sync;
  const waiting = `CSI migration enabled for ${plugin}; waiting for external resizer to expand the pvc`;
  events.event(claim, "Normal", "ExternalExpanding", waiting);
  if (claim.metadata.annotations?.[STORAGE_RESIZER] === driver) return;
  const { uid } = claim.metadata;
  const body = { metadata: { uid, annotations: { [STORAGE_RESIZER]: driver } } };
  try {
    await claimWrites.patchStatusUnread(sync, claim, { type: "merge", body });
  } catch (error) {
    const what = `error setting resizer annotation to pvc ${keyOf(claim)}, with error ${messageOf(error)}`;
    if (!sync.signal.aborted) events.event(claim, "Warning", "ExternalExpanding", what);
    throw new Error(what, { cause: error });
  }
}

/** Makes the volume larger, of which there is nothing to do but to say so, and leaves its file system to nodes. */
export async function expand(
  sync: ClaimSync,
  context: ExpandContext,
  volume: Stored<CachedVolume>,
  { size, resizer }: Extract<ExpansionPlan, { kind: "expand" }>,
): Promise<void> {
  const { owner: claim } = sync;
  const { clock, volumeWrites, events } = context;
  const begun = withResizeOnController(partOf(claim), size, clock.nowMs());
  const annotations = { [STORAGE_RESIZER]: resizer };
  const inProgress = await patchClaim(sync, context, claim, { status: begun, annotations });
  const body = { metadata: { uid: volume.metadata.uid }, spec: { capacity: { storage: size } } };
  await volumeWrites.patchUnread(sync, volume, { type: "merge", body });
  if (volume.spec?.volumeMode !== "Block") return leaveToNodes(sync, context, inProgress, volume);
  await patchClaim(sync, context, inProgress, { status: withResizeDone(partOf(inProgress), size) });
  const done = `ExpandVolume succeeded for volume ${keyOf(claim)}`;
  events.event(claim, "Normal", "VolumeResizeSuccessful", done);
}

/** What the claim has had is kept on the volume: should the claim go before nodes are done, the next one knows. */
export async function leaveToNodes(
  sync: ClaimSync,
  context: ExpandContext,
  claim: Stored<CachedClaim>,
  volume: Stored<CachedVolume>,
): Promise<void> {
  const { clock } = context;
  await patchClaim(sync, context, claim, { status: withResizeOnNode(partOf(claim), clock.nowMs()) });
  if (volume.metadata.annotations?.[PRE_RESIZE_CAPACITY] !== undefined) return;
  await annotate(sync, context, volume, claim.status?.capacity?.["storage"] ?? "0");
}

/** Without a value the annotation goes. */
export async function annotate(
  sync: ClaimSync,
  { volumeWrites }: ExpandContext,
  volume: Stored<CachedVolume>,
  capacity: string | null,
): Promise<void> {
  const { uid } = volume.metadata;
  const body = { metadata: { uid, annotations: { [PRE_RESIZE_CAPACITY]: capacity } } };
  await volumeWrites.patchUnread(sync, volume, { type: "merge", body });
}

function partOf({ status }: CachedClaim): ResizePart {
  const { allocatedResources, allocatedResourceStatuses, capacity, conditions } = status ?? {};
  return {
    ...(allocatedResources && { allocatedResources }),
    ...(allocatedResourceStatuses && { allocatedResourceStatuses }),
    ...(capacity && { capacity }),
    ...(conditions && { conditions }),
  };
}

/** Of the version that was read, as lists are replaced. */
async function patchClaim(
  sync: ClaimSync,
  { claimWrites }: ExpandContext,
  claim: Stored<CachedClaim>,
  { status, annotations = {} }: ClaimChange,
): Promise<Stored<CachedClaim>> {
  const { uid, resourceVersion } = claim.metadata;
  const { allocatedResourceStatuses, ...rest } = status;
  const storage = allocatedResourceStatuses?.["storage"] ?? null;
  const body = {
    metadata: { uid, resourceVersion, annotations },
    status: { ...rest, allocatedResourceStatuses: { storage } },
  };
  return claimWrites.patchStatus(sync, claim, { type: "merge", body });
}
