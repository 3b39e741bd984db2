import type { Stored } from "../../pkg/api/object.ts";
import { isNodeReady } from "../../pkg/api/node.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { carryOut } from "./apply.ts";
import { attachmentName, csiVolumeOf } from "../../pkg/api/volumes/csi-names.ts";
import type { AttachDetachContext } from "./context.ts";
import type { CachedAttachment } from "./fields.ts";
import { volumeKey, type VolumePlace, volumePlaceOf } from "./volume-key.ts";
import { type AttachmentFacts, type NodeFacts, planVolume, type VolumeView } from "./volume-plan.ts";

/** How long a node that is not ready may keep a volume in use. */
const MAX_WAIT_FOR_UNMOUNT_MS = 6 * 60_000;
/** From one state to the next and back there are no more than these. */
const MOST_STEPS = 20;
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** Takes the steps that can be taken now with a volume on a node. */
export async function syncVolume(sync: Sync, context: AttachDetachContext): Promise<SyncResult> {
  const place = volumePlaceOf(sync.key);
  for (let step = 0; step < MOST_STEPS; step++) {
    const view = gather(context, place);
    const plan = planVolume(view);
    if (plan.kind === "rest") {
      const { why, afterMs } = plan;
      sync.decided(why);
      return afterMs === undefined ? {} : { requeueAfterMs: afterMs };
    }
    if (plan.kind === "wait") {
      sync.decided("Something is done with the volume on another node");
      context.waiting.add(place.volume, sync.key);
      return {};
    }
    sync.decided(plan.kind, plan);
    // Every step changes what the next is decided on.
    // eslint-disable-next-line no-await-in-loop
    await carryOut(sync, context, { place, view, plan });
  }
  sync.log.warn("A volume is not done with after many steps, and is put off", { steps: MOST_STEPS });
  return { backOff: true };
}

function gather(context: AttachDetachContext, place: VolumePlace): VolumeView {
  const { desired, attached, operations, settings, clock } = context;
  const key = volumeKey(place);
  const nowMs = clock.monotonicMs();
  const wanted = desired.get(key);
  let attachment = attached.get(key);
  if (wanted === undefined && attachment !== undefined && attachment.detachSinceMs === undefined) {
    attached.setDetachSince(key, nowMs);
    attachment = attached.get(key);
  }
  const { isExclusive = false } = wanted?.spec ?? attachment?.spec ?? {};
  const csi = csiVolumeOf(place.volume);
  const objectName = attachment?.objectName ?? (csi && attachmentName(csi, place.node));
  const object = objectName === undefined ? undefined : context.attachments.lister.get(undefined, objectName);
  if (object !== undefined) operations.update(key, { isSeen: true });
  return {
    wanted,
    attachment,
    operation: operations.running(key),
    delay: {
      attach: operations.delay(key, "volume_attach", nowMs),
      detach: operations.delay(key, "volume_detach", nowMs),
    },
    isBusy: operations.isBusy(place, isExclusive),
    elsewhere: isExclusive ? attached.elsewhere(place) : [],
    objectName,
    object: object && factsOfObject(object),
    isCompared: settings.isCompared,
    node: factsOfNode(context, place),
    limits: { maxWaitMs: MAX_WAIT_FOR_UNMOUNT_MS, isEndless: settings.disableForceDetachOnTimeout },
    nowMs,
  };
}

function factsOfObject({ metadata, status }: Stored<CachedAttachment>): AttachmentFacts {
  return {
    version: metadata.resourceVersion,
    isAttached: status?.attached === true,
    isDeleted: metadata.deletionTimestamp !== undefined,
    attachError: status?.attachError && (status.attachError.message ?? ""),
    detachError: status?.detachError && (status.detachError.message ?? ""),
  };
}

/** Of a node that is gone, what it used last; where nobody knows that, it may use anything. */
function factsOfNode({ nodes, reports, usedByGone }: AttachDetachContext, place: VolumePlace): NodeFacts {
  const { volume } = place;
  const isToReport = reports.isToReport(place);
  const node = nodes.lister.get(undefined, place.node);
  if (node === undefined) {
    const isInUse = usedByGone.get(place.node)?.has(volume) ?? true;
    return { isReady: false, isOutOfService: false, isInUse, isReported: false, isToReport };
  }
  return {
    isReady: isNodeReady(node),
    isOutOfService: node.spec?.taints?.some((taint) => taint.key === OUT_OF_SERVICE) ?? false,
    isInUse: reports.isInUse(node, volume),
    isReported: reports.isReported(node, volume),
    isToReport,
  };
}
