import { POD_CLAIM_FIELDS } from "../../pkg/api/pod-claims.ts";
import { POD_END_FIELDS } from "../../pkg/api/pod.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { CSIDriver, VolumeAttachment } from "../../pkg/api/types/storage-v1.gen.ts";

/** The annotation of nodes whose kubelet leaves attaching to this controller. */
export const MANAGED_ANNOTATION = "volumes.kubernetes.io/controller-managed-attach-detach";
export const RESOURCE_GROUP_ANNOTATION = "kubernetes.io/azure-file-resource-group";

export const POD_FIELDS = [
  ...POD_CLAIM_FIELDS,
  ...POD_END_FIELDS,
  "spec.nodeName",
  "spec.volumes.csi.driver",
  "spec.volumes.fc",
  "spec.volumes.iscsi",
  "spec.volumes.awsElasticBlockStore",
  "spec.volumes.azureDisk",
  "spec.volumes.azureFile",
  "spec.volumes.cinder",
  "spec.volumes.gcePersistentDisk",
  "spec.volumes.portworxVolume",
  "spec.volumes.vsphereVolume",
] as const;
export const NODE_FIELDS = [
  `metadata.annotations[${MANAGED_ANNOTATION}]`,
  "spec.taints.key",
  "status.conditions.type",
  "status.conditions.status",
  "status.volumesAttached",
  "status.volumesInUse",
] as const;
export const CLAIM_FIELDS = ["spec.volumeName", "status.phase"] as const;
export const VOLUME_FIELDS = [
  `metadata.annotations[${RESOURCE_GROUP_ANNOTATION}]`,
  "spec.accessModes",
  "spec.claimRef.namespace",
  "spec.claimRef.name",
  "spec.claimRef.uid",
  "spec.csi.driver",
  "spec.csi.volumeHandle",
  "spec.fc",
  "spec.iscsi.iqn",
  "spec.iscsi.lun",
  "spec.iscsi.targetPortal",
  "spec.awsElasticBlockStore",
  "spec.azureDisk",
  "spec.azureFile",
  "spec.cinder",
  "spec.gcePersistentDisk",
  "spec.portworxVolume",
  "spec.vsphereVolume",
] as const;
export const DRIVER_FIELDS = ["spec.attachRequired"] as const;
export const ATTACHMENT_FIELDS = [
  "spec.nodeName",
  "spec.source.persistentVolumeName",
  "spec.source.inlineVolumeSpec.csi.driver",
  "spec.source.inlineVolumeSpec.csi.volumeHandle",
  "status.attached",
  "status.attachError.message",
  "status.detachError.message",
] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;
export type CachedClaim = Projected<PersistentVolumeClaim, typeof CLAIM_FIELDS>;
export type CachedVolume = Projected<PersistentVolume, typeof VOLUME_FIELDS>;
export type CachedDriver = Projected<CSIDriver, typeof DRIVER_FIELDS>;
export type CachedAttachment = Projected<VolumeAttachment, typeof ATTACHMENT_FIELDS>;

/** A volume of a pod, as far as it is read. */
export type PodVolume = NonNullable<NonNullable<CachedPod["spec"]>["volumes"]>[number];
