import { csiVolumeOf } from "../../pkg/api/volumes/csi-names.ts";
import type { Attachment } from "./attached-world.ts";
import type { Wanted } from "./desired-world.ts";
import { timeoutMessage } from "./messages.ts";
import type { Delay, Operation } from "./operations.ts";

/** How long a driver may take to attach or to detach. */
export const DRIVER_TIMEOUT_MS = 120_000;
/** What an old VolumeAttachment says of an earlier try counts only when its driver has had so long for this one. */
const OLD_ERROR_MS = 500;

/** A VolumeAttachment as the cache has it. */
export interface AttachmentFacts {
  readonly version: string;
  readonly isAttached: boolean;
  readonly isDeleted: boolean;
  readonly attachError: string | undefined;
  readonly detachError: string | undefined;
}

export interface NodeFacts {
  readonly isReady: boolean;
  readonly isOutOfService: boolean;
  /** The node says that it uses the volume; or it is gone, and nobody knows. */
  readonly isInUse: boolean;
  /** The node's status may say that the volume is attached. */
  readonly isReported: boolean;
  /** It is to be reported. */
  readonly isToReport: boolean;
}

/** All that is known of a volume on a node. */
export interface VolumeView {
  readonly wanted: Wanted | undefined;
  readonly attachment: Attachment | undefined;
  readonly operation: Operation | undefined;
  readonly delay: { readonly attach: Delay | undefined; readonly detach: Delay | undefined };
  /** Something is being done with the volume on another node, and it is one for one node at a time. */
  readonly isBusy: boolean;
  /** Other nodes that it is, or may be, attached to; empty for what may be attached to many. */
  readonly elsewhere: readonly Attachment[];
  /** Name of the VolumeAttachment that there is, or would be; undefined for what is no driver's. */
  readonly objectName: string | undefined;
  readonly object: AttachmentFacts | undefined;
  /** Whether that its VolumeAttachment says so tells that it is attached no more. */
  readonly isCompared: boolean;
  readonly node: NodeFacts;
  readonly limits: UnmountLimits;
  readonly nowMs: number;
}

export interface UnmountLimits {
  /** How long a node that is not ready may use a volume that it is not to have any more. */
  readonly maxWaitMs: number;
  /** It may do so for ever. */
  readonly isEndless: boolean;
}

export type ForceReason = "timeout" | "out-of-service";

export type VolumePlan =
  | { readonly kind: "rest"; readonly why: string; readonly afterMs?: number }
  /** As rest: woken when the volume is free. */
  | { readonly kind: "wait" }
  | { readonly kind: "attach" }
  | { readonly kind: "attached" }
  | { readonly kind: "fail"; readonly why: string }
  | { readonly kind: "tellConflict"; readonly nodes: readonly string[] }
  /** It stays, though it was to go. */
  | { readonly kind: "keep" }
  | { readonly kind: "giveUp"; readonly why: string }
  | { readonly kind: "lost" }
  | { readonly kind: "detach" }
  | { readonly kind: "remove"; readonly force: ForceReason | undefined }
  | { readonly kind: "detached" };

const rest = (why: string, afterMs?: number): VolumePlan => ({
  kind: "rest",
  why,
  ...(afterMs !== undefined && { afterMs }),
});

/** The next step with a volume on a node. */
export function planVolume(view: VolumeView): VolumePlan {
  const { operation } = view;
  if (operation?.name === "volume_attach") return planOfAttaching(view, operation);
  if (operation !== undefined) return planOfDetaching(view, operation);
  if (view.wanted !== undefined) return planOfWanted(view, view.wanted);
  return view.attachment === undefined ? rest("Nobody needs it") : planOfUnwanted(view, view.attachment);
}

function planOfAttaching(view: VolumeView, operation: Operation): VolumePlan {
  const { wanted, object, objectName } = view;
  if (wanted === undefined) return { kind: "giveUp", why: "Nobody needs it any more" };
  if (objectName === undefined) return { kind: "attached" };
  if (object === undefined) {
    // What was there and is not any more will not become attached.
    return operation.isSeen
      ? { kind: "fail", why: "volume attachment has been deleted" }
      : untilTimeout(view, operation);
  }
  if (object.isDeleted) return { kind: "fail", why: "volume attachment is being deleted" };
  if (object.isAttached) return { kind: "attached" };
  return driverSays(view, operation, object.attachError);
}

function planOfDetaching(view: VolumeView, operation: Operation): VolumePlan {
  const { wanted, object, node, objectName } = view;
  if (operation.phase === "telling") {
    if (wanted !== undefined) return { kind: "giveUp", why: "It is needed again" };
    const force = forceOf(view);
    if (node.isInUse && force === undefined) return { kind: "giveUp", why: "The node uses it still" };
    return node.isReported ? rest("The node is told first") : { kind: "remove", force };
  }
  if (objectName === undefined || object === undefined) return { kind: "detached" };
  return driverSays(view, operation, object.detachError);
}

/** What the driver has to say, which may be of an earlier try. */
function driverSays(view: VolumeView, operation: Operation, error: string | undefined): VolumePlan {
  if (error === undefined) return untilTimeout(view, operation);
  const waitedMs = view.nowMs - operation.startMs;
  if (view.object?.version === operation.firstVersion && waitedMs < OLD_ERROR_MS)
    return rest("The driver has yet to try again", OLD_ERROR_MS - waitedMs);
  return { kind: "fail", why: error };
}

function untilTimeout({ nowMs, wanted }: VolumeView, operation: Operation): VolumePlan {
  const leftMs = operation.startMs + DRIVER_TIMEOUT_MS - nowMs;
  if (leftMs > 0) return rest("The driver is waited for", leftMs);
  const { volumeHandle = "" } = csiVolumeOf(operation.volume) ?? {};
  const isAttaching = operation.name === "volume_attach";
  const driver = isAttaching ? wanted?.spec.csi?.driver : undefined;
  // upstream: who detaches does not say whose volume it is.
  return {
    kind: "fail",
    why: timeoutMessage(isAttaching ? "attach" : "detach", driver ?? "unknown", volumeHandle),
  };
}

function planOfWanted(view: VolumeView, wanted: Wanted): VolumePlan {
  const { attachment, object, node, isBusy, nowMs } = view;
  if (attachment?.isConfirmed === true) {
    if (isLost(view)) return { kind: "lost" };
    return attachment.detachSinceMs !== undefined || !node.isToReport
      ? { kind: "keep" }
      : rest("It is attached");
  }
  if (isBusy) return { kind: "wait" };
  const isThere = object?.isAttached === true && !object.isDeleted;
  const delay = view.delay.attach;
  // What failed for what was there, and is not any more, can be begun anew.
  const isAnew = delay?.isSeen === true && object === undefined;
  if (delay !== undefined && !isThere && !isAnew) return rest("It has just failed", delay.untilMs - nowMs);
  // What has a VolumeAttachment of its own waits only for those that are known to have the volume.
  const inTheWay = view.elsewhere.filter(({ isConfirmed }) => isConfirmed || attachment === undefined);
  if (inTheWay.length === 0) return { kind: "attach" };
  if (wanted.isConflictTold) return { kind: "wait" };
  return { kind: "tellConflict", nodes: inTheWay.map((each) => each.node) };
}

/** Somebody else has detached it. */
function isLost({ objectName, isCompared, object }: VolumeView): boolean {
  return objectName !== undefined && isCompared && object?.isAttached !== true;
}

function planOfUnwanted(view: VolumeView, attachment: Attachment): VolumePlan {
  const { isBusy, object, node, nowMs, limits } = view;
  if (isBusy) return { kind: "wait" };
  const delay = view.delay.detach;
  // Who deletes once more finds out whether it is gone indeed.
  const isGone = delay?.isSeen === true && object === undefined;
  if (delay !== undefined && !isGone) return rest("It has just failed", delay.untilMs - nowMs);
  if (!node.isInUse || forceOf(view) !== undefined) return { kind: "detach" };
  if (node.isReady || limits.isEndless) return rest("The node uses it still");
  return rest("The node uses it still", forceAtMs(attachment, limits, nowMs) - nowMs + 1);
}

/**
 * Why a volume may be detached though its node has not let go of it: the node is out of service, or is not ready and has
 * had its time. Undefined: it may not.
 */
function forceOf({ attachment, node, limits, nowMs }: VolumeView): ForceReason | undefined {
  const isOver =
    attachment !== undefined && !limits.isEndless && nowMs > forceAtMs(attachment, limits, nowMs);
  if (!node.isReady && isOver) return "timeout";
  return node.isOutOfService ? "out-of-service" : undefined;
}

function forceAtMs({ detachSinceMs }: Attachment, { maxWaitMs }: UnmountLimits, nowMs: number): number {
  return (detachSinceMs ?? nowMs) + maxWaitMs;
}
