import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import type { CSIDriver, StorageClass } from "../../api/types/storage-v1.gen.ts";
import {
  PROVISIONED_BY,
  SELECTED_NODE,
  isAnnotated,
  STORAGE_PROVISIONER,
} from "../../api/volumes/claim-facts.ts";
import { referenceTo } from "../../api/volumes/bound-volume.ts";

/** Makes volumes without disks. */
export const HOLLOW_PROVISIONER = "hollow.kcm.dev";

/** The class of claims that name none. */
export const standardClass: StorageClass = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: HOLLOW_PROVISIONER,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
};

/** Where nobody attaches, nothing is to be attached to nodes that are not there. */
export function hollowDriver(attachRequired: boolean): CSIDriver {
  return { metadata: { name: HOLLOW_PROVISIONER }, spec: { attachRequired, podInfoOnMount: false } };
}

/** Whether it is time to make a volume for the claim. */
export function isToBeMade(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  const { metadata, spec } = claim;
  if (metadata.deletionTimestamp !== undefined || (spec?.volumeName ?? "") !== "") return false;
  if (metadata.annotations?.[STORAGE_PROVISIONER] !== HOLLOW_PROVISIONER) return false;
  if (storageClass?.provisioner !== HOLLOW_PROVISIONER) return false;
  return storageClass.volumeBindingMode !== "WaitForFirstConsumer" || isAnnotated(claim, SELECTED_NODE);
}

export const hollowVolumeName = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`;

/** Every node can use it. */
export function hollowVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { spec = {} } = claim;
  const { reclaimPolicy = "Delete", mountOptions } = storageClass;
  const name = hollowVolumeName(claim);
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: HOLLOW_PROVISIONER } },
    spec: {
      ...(spec.accessModes && { accessModes: spec.accessModes }),
      capacity: { storage: spec.resources?.requests?.["storage"] ?? "0" },
      claimRef: referenceTo(claim),
      csi: { driver: HOLLOW_PROVISIONER, volumeHandle: name },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      ...(mountOptions && { mountOptions }),
      ...(storageClass.metadata.name !== undefined && { storageClassName: storageClass.metadata.name }),
      ...(spec.volumeAttributesClassName !== undefined && {
        volumeAttributesClassName: spec.volumeAttributesClassName,
      }),
      volumeMode: spec.volumeMode ?? "Filesystem",
    },
  };
}

/** Whether the volume is this provisioner's to delete now. */
export function isToBeDeleted({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    status?.phase === "Released" &&
    spec?.persistentVolumeReclaimPolicy === "Delete" &&
    metadata.annotations?.[PROVISIONED_BY] === HOLLOW_PROVISIONER &&
    metadata.deletionTimestamp === undefined
  );
}
