import { POD_CLAIM_FIELDS } from "../../pkg/api/pod-claims.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { CSIDriver } from "../../pkg/api/types/storage-v1.gen.ts";

export const POD_FIELDS = [
  ...POD_CLAIM_FIELDS,
  "spec.volumes.awsElasticBlockStore.volumeID",
  "spec.volumes.azureDisk.diskURI",
  "spec.volumes.azureFile",
  "spec.volumes.cinder.volumeID",
  "spec.volumes.fc",
  "spec.volumes.gcePersistentDisk.pdName",
  "spec.volumes.iscsi.iqn",
  "spec.volumes.iscsi.lun",
  "spec.volumes.iscsi.targetPortal",
  "spec.volumes.portworxVolume.volumeID",
  "spec.volumes.vsphereVolume.volumePath",
  "spec.securityContext.seLinuxChangePolicy",
  "spec.securityContext.seLinuxOptions",
  "spec.initContainers.securityContext.seLinuxOptions",
  "spec.initContainers.volumeMounts.name",
  "spec.containers.securityContext.seLinuxOptions",
  "spec.containers.volumeMounts.name",
  "spec.ephemeralContainers.securityContext.seLinuxOptions",
  "spec.ephemeralContainers.volumeMounts.name",
  "status.phase",
] as const;
export const CLAIM_FIELDS = ["spec.volumeName", "status.phase"] as const;
export const VOLUME_FIELDS = [
  "spec.claimRef.namespace",
  "spec.claimRef.name",
  "spec.claimRef.uid",
  "spec.csi.driver",
  "spec.csi.volumeHandle",
  "spec.fc",
  "spec.iscsi.iqn",
  "spec.iscsi.lun",
  "spec.iscsi.targetPortal",
  "spec.awsElasticBlockStore.volumeID",
  "spec.azureDisk.diskURI",
  "spec.azureFile",
  "spec.cinder.volumeID",
  "spec.gcePersistentDisk.pdName",
  "spec.portworxVolume.volumeID",
  "spec.vsphereVolume.volumePath",
] as const;
export const DRIVER_FIELDS = ["spec.seLinuxMount"] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
export type CachedClaim = Projected<PersistentVolumeClaim, typeof CLAIM_FIELDS>;
export type CachedVolume = Projected<PersistentVolume, typeof VOLUME_FIELDS>;
export type CachedDriver = Projected<CSIDriver, typeof DRIVER_FIELDS>;

/** A volume of a pod, as far as it is read. */
export type PodVolume = NonNullable<NonNullable<CachedPod["spec"]>["volumes"]>[number];
