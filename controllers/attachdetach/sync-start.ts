import type { Stored } from "../../pkg/api/object.ts";
import { forEachInTurns } from "../../pkg/clock/turns.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { attachmentName, csiUniqueName, csiVolumeOf } from "../../pkg/api/volumes/csi-names.ts";
import type { AttachDetachContext } from "./context.ts";
import { type CachedAttachment, type CachedNode, MANAGED_ANNOTATION } from "./fields.ts";
import { ON_NODES, VOLUMES_INDEX } from "./pod-volumes.ts";
import { followCurrent } from "./sync-pods.ts";
import { volumeKey } from "./volume-key.ts";
import { isKnownPlugin, specOfVolume, type VolumeSpec } from "./volume-spec.ts";

/**
 * Before anything is attached or detached, all that there is of it is known: what nodes say is attached, what was begun
 * by somebody who has stopped since, and what pods need.
 * upstream: pkg/controller/volume/attachdetach/attach_detach_controller.go#populateActualStateOfWorld
 */
export async function takeWhatIsThere(context: AttachDetachContext, signal: AbortSignal): Promise<void> {
  const { clock, pods, nodes, claims, volumes, drivers, attachments, desired, attached, wakers } = context;
  const caches = [pods, nodes, claims, volumes, drivers, attachments].map(({ synced }) => synced);
  await whenSynced(clock, caches)(signal);
  // What changes from now on is taken into account as it does.
  context.memory.isStarted = true;
  await forEachInTurns(clock, nodes.lister.list(), ({ metadata }) => {
    const node = nodes.lister.get(undefined, metadata.name);
    if (node !== undefined) takeNode(context, node);
  });
  await forEachInTurns(clock, attachments.lister.list(), (object) => takeAttachment(context, object));
  const users = pods.lister.byIndex(VOLUMES_INDEX, ON_NODES);
  await forEachInTurns(clock, users, (pod) => followCurrent(context, pod, wakers.volume));
  await forEachInTurns(clock, [...desired.keys(), ...attached.keys()], wakers.volume);
}

function takeNode({ desired, attached, reports }: AttachDetachContext, node: Stored<CachedNode>): void {
  const { name } = node.metadata;
  if (isManaged(node)) desired.manage(name);
  for (const { name: volume, devicePath } of node.status?.volumesAttached ?? []) {
    const place = { node: name, volume };
    reports.add(place, devicePath);
    // Whose it is has to detach it.
    if (!isKnownPlugin(volume)) continue;
    const csi = csiVolumeOf(volume);
    const objectName = csi && attachmentName(csi, name);
    attached.mark(place, { spec: undefined, isConfirmed: true, objectName });
  }
}

/** What no node says is attached was begun, and may be either. */
function takeAttachment(context: AttachDetachContext, object: Stored<CachedAttachment>): void {
  const { attached, log } = context;
  const { nodeName: node } = object.spec;
  const { spec, csi } = volumeOf(context, object);
  if (csi === undefined) {
    log.warn("A VolumeAttachment is left alone: its volume is not known", { name: object.metadata.name });
    return;
  }
  const place = { node, volume: csiUniqueName(csi) };
  if (attached.get(volumeKey(place)) !== undefined) return;
  attached.mark(place, { spec, isConfirmed: false, objectName: attachmentName(csi, node) });
}

function volumeOf(
  { volumes }: AttachDetachContext,
  { spec: { source } }: Stored<CachedAttachment>,
): Partial<Pick<VolumeSpec, "csi">> & { readonly spec: VolumeSpec | undefined } {
  const { persistentVolumeName, inlineVolumeSpec } = source;
  if (inlineVolumeSpec?.csi !== undefined) return { spec: undefined, csi: inlineVolumeSpec.csi };
  const volume = volumes.lister.get(undefined, persistentVolumeName ?? "");
  const spec = volume && specOfVolume(volume);
  return { spec, ...(spec?.csi && { csi: spec.csi }) };
}

/** Whether the kubelet of the node leaves attaching to this controller. */
export function isManaged({ metadata }: CachedNode): boolean {
  return metadata.annotations?.[MANAGED_ANNOTATION] !== undefined;
}
