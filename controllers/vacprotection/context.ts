import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CLAIM_FIELDS, classesOfClaim, classesOfVolume, USERS_OF_CLASS, VOLUME_FIELDS } from "./class-use.ts";

/** All that a sync works with. Classes are written back whole. */
export type ClassProtectionContext = ReturnType<typeof classProtectionContext>;

export function classProtectionContext(kit: Kit) {
  const claims = kit.reads(resources.persistentVolumeClaims, { fields: CLAIM_FIELDS });
  const volumes = kit.reads(resources.persistentVolumes, { fields: VOLUME_FIELDS });
  claims.addIndex(USERS_OF_CLASS, classesOfClaim);
  volumes.addIndex(USERS_OF_CLASS, classesOfVolume);
  return {
    claims,
    volumes,
    classes: kit.reads(resources.volumeAttributesClasses),
    writes: kit.writes(resources.volumeAttributesClasses),
  };
}
