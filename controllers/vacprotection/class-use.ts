import type { Projected } from "../../pkg/api/projected.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of claims. */
export const CLAIM_FIELDS = [
  "spec.volumeAttributesClassName",
  "status.currentVolumeAttributesClassName",
  "status.modifyVolumeStatus.targetVolumeAttributesClassName",
] as const;
export type CachedClaim = Projected<PersistentVolumeClaim, typeof CLAIM_FIELDS>;

/** What is read of volumes. */
export const VOLUME_FIELDS = ["spec.volumeAttributesClassName"] as const;
export type CachedVolume = Projected<PersistentVolume, typeof VOLUME_FIELDS>;

/** Index of claims and of volumes by the classes of attributes that they use. */
export const USERS_OF_CLASS = "volumeAttributesClassName";

/** The classes that the claim asks for, has, and is on its way to. */
export function classesOfClaim({ spec, status }: CachedClaim): readonly string[] {
  return named([
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ]);
}

export function classesOfVolume({ spec }: CachedVolume): readonly string[] {
  return named([spec?.volumeAttributesClassName]);
}

function named(names: readonly (string | undefined)[]): readonly string[] {
  const known = new Set(names);
  known.delete("");
  return [...known].filter((name) => name !== undefined);
}
