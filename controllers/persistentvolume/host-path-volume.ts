import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { BOUND_BY_CONTROLLER, classOf, PROVISIONED_BY } from "../../pkg/api/volumes/claim-facts.ts";
import { modeOf, requestOf } from "../../pkg/api/volumes/fit.ts";
import { referenceTo } from "../../pkg/api/volumes/bound-volume.ts";
import { IN_TREE_FINALIZER } from "./migration.ts";
import { HOST_PATH } from "./plugins.ts";

/** Only one volume of this name is ever made for the claim. */
export function provisionedName({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** Why no directory can be made for the claim. upstream: pkg/volume/hostpath/host_path.go#Provision */
export function provisioningProblem(claim: PersistentVolumeClaim): string | undefined {
  return modeOf(claim) === "Block" ? `${HOST_PATH} does not support block volume provisioning` : undefined;
}

/** The volume of a directory, bound to the claim. upstream: pv_controller.go#provisionClaimOperation */
export function hostPathVolume(
  claim: PersistentVolumeClaim,
  { reclaimPolicy = "Delete" }: StorageClass,
  path: string,
): PersistentVolume {
  const { accessModes = [] } = claim.spec ?? {};
  const className = classOf(claim);
  return {
    metadata: {
      name: provisionedName(claim),
      annotations: {
        "kubernetes.io/createdby": "hostpath-dynamic-provisioner",
        [BOUND_BY_CONTROLLER]: "yes",
        [PROVISIONED_BY]: HOST_PATH,
      },
      ...(reclaimPolicy === "Delete" && { finalizers: [IN_TREE_FINALIZER] }),
    },
    spec: {
      persistentVolumeReclaimPolicy: reclaimPolicy,
      accessModes: accessModes.length === 0 ? ["ReadWriteOnce"] : accessModes,
      capacity: { storage: requestOf(claim).toString() },
      hostPath: { path },
      claimRef: referenceTo(claim),
      storageClassName: className,
    },
  };
}

/**
 * Why what is behind the volume cannot be deleted; undefined where it can.
 * upstream: pkg/volume/hostpath/host_path.go#Delete finds /tmp/ in the middle of a path, too.
 */
export function deletionProblem({ metadata, spec }: PersistentVolume): string | undefined {
  if (spec?.hostPath === undefined)
    return `failed to create deleter for volume ${JSON.stringify(metadata.name)}: spec.PersistentVolumeSource.HostPath is nil`;
  const { path } = spec.hostPath;
  const isTemporary = /^\/tmp\/[^/]/.test(path) && !path.split("/").includes("..");
  return isTemporary ? undefined : `host_path deleter only supports /tmp/.+ but received provided ${path}`;
}
