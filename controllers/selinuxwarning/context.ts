import { claimKeysOf, CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CLAIM_FIELDS, DRIVER_FIELDS, POD_FIELDS, VOLUME_FIELDS } from "./fields.ts";
import { VolumeUses } from "./volume-uses.ts";

/** All that a sync works with. */
export type SELinuxContext = ReturnType<typeof selinuxContext>;

export function selinuxContext(kit: Kit) {
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  return {
    pods,
    claims: kit.reads(resources.persistentVolumeClaims, { fields: CLAIM_FIELDS }),
    volumes: kit.reads(resources.persistentVolumes, { fields: VOLUME_FIELDS }),
    drivers: kit.reads(resources.csiDrivers, { fields: DRIVER_FIELDS }),
    uses: new VolumeUses(),
    events: kit.env.events,
  };
}
