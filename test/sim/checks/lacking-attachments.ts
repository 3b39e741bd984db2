import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../../pkg/api/types/storage-v1.gen.ts";
import { csiUniqueName } from "../../../pkg/api/volumes/csi-names.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { Lack } from "./lacks.ts";
import { isManaged, isUser, volumesOf } from "./volume-facts.ts";

/** Pods whose volume is on no node at all, and which no driver has been asked to attach. */
export function lackingAttachments(store: Store): readonly Lack[] {
  const claims = objectsIn<PersistentVolumeClaim>(store, resources.persistentVolumeClaims);
  const volumes = objectsIn<PersistentVolume>(store, resources.persistentVolumes);
  const nodes = objectsIn<Node>(store, resources.nodes);
  const asked = new Set(
    objectsIn<VolumeAttachment>(store, resources.volumeAttachments).map(
      ({ spec }) => spec.source.persistentVolumeName,
    ),
  );
  const told = new Set(
    nodes.flatMap(({ status }) => (status?.volumesAttached ?? []).map(({ name }) => name)),
  );
  const managed = new Map(nodes.filter(isManaged).map(({ metadata }) => [metadata.name, metadata.uid]));
  return podsIn(store)
    .filter((pod) => isUser(pod) && managed.has(pod.spec?.nodeName))
    .flatMap((pod) => {
      const { nodeName } = pod.spec ?? {};
      const { name, uid } = pod.metadata;
      return volumesOf(pod, claims, volumes)
        .filter(({ metadata, spec }) => spec?.csi !== undefined && !asked.has(metadata.name))
        .filter(({ spec }) => spec?.csi === undefined || !told.has(csiUniqueName(spec.csi)))
        .map(({ metadata }) => ({
          key: `${uid} ${metadata.uid} ${managed.get(nodeName)}`,
          text: `${name} waits on ${nodeName} for ${metadata.name}, which nobody attaches`,
        }));
    });
}
