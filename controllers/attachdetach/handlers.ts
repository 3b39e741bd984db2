import { isNodeReady } from "../../pkg/api/node.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { hasPodEnded } from "../../pkg/api/pod.ts";
import type { AttachedVolume } from "../../pkg/api/types/core-v1.gen.ts";
import { NODE_INDEX } from "../../pkg/controller/pods-on-node.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { AttachDetachContext } from "./context.ts";
import type {
  CachedAttachment,
  CachedClaim,
  CachedDriver,
  CachedNode,
  CachedPod,
  CachedVolume,
} from "./fields.ts";
import { followPod, forgetPod } from "./sync-pods.ts";
import { isManaged } from "./sync-start.ts";
import { isBound } from "./volume-spec.ts";

/** Wakes the volumes that a pod needs from now on, or no longer. */
export function podRule(context: AttachDetachContext): WakeRule<CachedPod> {
  return (change, wake) => {
    if (!context.memory.isStarted) return;
    if (change.type === "deleted") forgetPod(context, change.object, wake);
    else if (change.type === "added" || change.resync || isNews(change.before, change.object))
      followPod(context, change.object, wake);
  };
}

function isNews(before: CachedPod, after: CachedPod): boolean {
  return before.spec?.nodeName !== after.spec?.nodeName || hasPodEnded(before) !== hasPodEnded(after);
}

/** Wakes the volumes of pods on nodes that come, and of those that nodes let go of, or can no longer use. */
export function nodeRule(context: AttachDetachContext): WakeRule<CachedNode> {
  const { desired, attached, pods, usedByGone, reports, memory } = context;
  return (change, wake) => {
    if (!memory.isStarted) return;
    const { object: node } = change;
    const { name } = node.metadata;
    if (change.type === "deleted") {
      desired.release(name);
      reports.nodeIsGone(name);
      if (attached.hasAnyOn(name)) usedByGone.set(name, new Set(node.status?.volumesInUse));
    } else {
      usedByGone.delete(name);
      const isNew = isManaged(node) && desired.manage(name);
      if (isNew) for (const pod of pods.lister.byIndex(NODE_INDEX, name)) followPod(context, pod, wake);
    }
    if (change.type === "updated" && !change.resync && isAlike(change.before, node)) return;
    for (const key of attached.onNode(name))
      if (change.type !== "updated" || attached.get(key)?.detachSinceMs !== undefined) wake(key);
  };
}

/** For whether volumes may be detached. */
function isAlike(one: CachedNode, other: CachedNode): boolean {
  return (
    isNodeReady(one) === isNodeReady(other) &&
    isSameList(one.spec?.taints?.map(taintKey), other.spec?.taints?.map(taintKey)) &&
    isSameList(one.status?.volumesInUse, other.status?.volumesInUse)
  );
}

const taintKey = ({ key }: { readonly key: string }): string => key;

function isSameList(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}

/** Wakes nodes whose status says something else than before of what is attached. */
export function reportRule({ reports }: AttachDetachContext): WakeRule<CachedNode> {
  return (change, wake) => {
    const { object: node } = change;
    if (change.type === "deleted" || !reports.has(node.metadata.name)) return;
    if (change.type === "updated" && !change.resync && saysTheSame(change.before, node)) return;
    wake(node.metadata.name);
  };
}

function saysTheSame({ status: one }: CachedNode, { status: other }: CachedNode): boolean {
  const names = (volumes: readonly AttachedVolume[] | undefined) => volumes?.map(({ name }) => name);
  return isSameList(names(one?.volumesAttached), names(other?.volumesAttached));
}

/** Wakes claims that have a volume, and have not had it before. */
export const claimRule: WakeRule<CachedClaim> = (change, wake) => {
  const { object: claim } = change;
  if (change.type === "deleted" || !isBound(claim)) return;
  if (change.type === "updated" && !change.resync && isBound(change.before)) {
    if (change.before.spec?.volumeName === claim.spec?.volumeName) return;
  }
  wake(keyOfClaim(claim.metadata));
};

/** Wakes the claims of volumes that are known now, and were not before. */
export const volumeRule: WakeRule<CachedVolume> = (change, wake) => {
  const { namespace = "", name, uid } = change.object.spec?.claimRef ?? {};
  if (change.type === "deleted" || name === undefined) return;
  if (change.type === "updated" && !change.resync && change.before.spec?.claimRef?.uid === uid) return;
  wake(keyOfClaim({ namespace, name }));
};

function keyOfClaim({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

/** Wakes drivers that attach from now on, or no longer do. */
export const driverRule: WakeRule<CachedDriver> = (change, wake) => {
  const attaches = ({ spec }: CachedDriver): boolean => spec.attachRequired !== false;
  if (change.type === "updated" && !change.resync && attaches(change.before) === attaches(change.object))
    return;
  wake(change.object.metadata.name);
};

/** Wakes the volume that a VolumeAttachment is of. */
export function attachmentRule({ attached }: AttachDetachContext): WakeRule<CachedAttachment> {
  return (change, wake) => {
    const key = attached.keyOfObject(change.object.metadata.name);
    if (key === undefined) return;
    if (change.type === "updated" && !change.resync && isAlikeObject(change.before, change.object)) return;
    wake(key);
  };
}

function isAlikeObject(one: Stored<CachedAttachment>, other: Stored<CachedAttachment>): boolean {
  return (
    one.status?.attached === other.status?.attached &&
    one.metadata.deletionTimestamp === other.metadata.deletionTimestamp &&
    one.status?.attachError === undefined &&
    other.status?.attachError === undefined &&
    one.status?.detachError === undefined &&
    other.status?.detachError === undefined
  );
}
