import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CLAIM_FIELDS, VOLUME_FIELDS } from "./expansion.ts";

/** All that a sync works with. */
export type ExpandContext = ReturnType<typeof expandContext>;

export function expandContext(kit: Kit) {
  const { clock, events } = kit.env;
  return {
    claims: kit.reads(resources.persistentVolumeClaims, { fields: CLAIM_FIELDS }),
    volumes: kit.reads(resources.persistentVolumes, { fields: VOLUME_FIELDS }),
    claimWrites: kit.writes(resources.persistentVolumeClaims),
    volumeWrites: kit.writes(resources.persistentVolumes),
    clock,
    events,
  };
}
