import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import {
  BETA_STORAGE_PROVISIONER,
  MIGRATED_TO,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
  withAnnotations,
  withoutAnnotation,
} from "../../pkg/api/volumes/claim-facts.ts";
import { csiDriverOf } from "../../pkg/api/volumes/in-tree-drivers.ts";

/** What a volume is held by until the controller itself has deleted what is behind it. */
export const IN_TREE_FINALIZER = "kubernetes.io/pv-controller";
/** What a volume is held by until an external provisioner has. */
export const EXTERNAL_FINALIZER = "external-provisioner.volume.kubernetes.io/finalizer";

/** The claim, saying which driver does the work of its plugin; the very claim when it is right. */
export function withMigrationOfClaim<T extends PersistentVolumeClaim>(claim: T): T {
  const { annotations = {} } = claim.metadata;
  return withMigration(claim, annotations[STORAGE_PROVISIONER] ?? annotations[BETA_STORAGE_PROVISIONER]);
}

/** The same for a volume, with the finalizers that follow from that. */
export function withMigrationOfVolume<T extends PersistentVolume>(volume: T): T {
  const migrated = withMigration(volume, volume.metadata.annotations?.[PROVISIONED_BY]);
  const before = volume.metadata.finalizers ?? [];
  const finalizers = deletionFinalizers(volume);
  if (finalizers.length === before.length && finalizers.every((name, at) => name === before[at]))
    return migrated;
  return { ...migrated, metadata: { ...migrated.metadata, finalizers } };
}

/** upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go#updateMigrationAnnotations */
function withMigration<T extends ApiObject>(object: T, provisioner: string | undefined): T {
  if (provisioner === undefined) return object;
  const driver = csiDriverOf(provisioner) ?? "";
  const known = object.metadata.annotations?.[MIGRATED_TO] ?? "";
  if (driver === known) return object;
  return driver === ""
    ? withoutAnnotation(object, MIGRATED_TO)
    : withAnnotations(object, { [MIGRATED_TO]: driver });
}

/**
 * A volume that the controller has made itself is held until what is behind it is gone, if it is to be deleted.
 * upstream: pkg/controller/volume/persistentvolume/pv_controller_base.go#modifyDeletionFinalizers
 */
export function deletionFinalizers({ metadata, spec }: PersistentVolume): readonly string[] {
  const { finalizers = [], annotations = {} } = metadata;
  const maker = annotations[PROVISIONED_BY];
  if (maker === undefined) return finalizers;
  const without = (...names: readonly string[]): readonly string[] =>
    finalizers.filter((name) => !names.includes(name));
  if (csiDriverOf(maker) !== undefined) return without(IN_TREE_FINALIZER);
  if (!maker.startsWith("kubernetes.io/")) return finalizers;
  const left = without(EXTERNAL_FINALIZER);
  const policy = spec?.persistentVolumeReclaimPolicy;
  if (policy === "Delete") {
    // The server takes no new ones for what is being deleted.
    const isHeld = left.includes(IN_TREE_FINALIZER) || metadata.deletionTimestamp !== undefined;
    return isHeld ? left : [...left, IN_TREE_FINALIZER];
  }
  return policy === "Retain" || policy === "Recycle"
    ? left.filter((name) => name !== IN_TREE_FINALIZER)
    : left;
}
