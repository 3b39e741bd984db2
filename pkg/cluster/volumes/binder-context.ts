import type { StoredObject } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import type { ConsistencyStore } from "../../controller/consistency.ts";
import type { Kit } from "../../controller/kit.ts";
import {
  claimKeysOf,
  CLAIMS_OF_PODS,
  FIELDS_OF_PODS,
  claimOfVolume,
  VOLUMES_OF_CLAIM,
} from "./claim-facts.ts";

export type BinderContext = ReturnType<typeof binderContext>;

/** All that the binder's syncs work with. Claims and volumes are written back whole. */
export function binderContext(kit: Kit) {
  const claims = kit.reads(resources.persistentVolumeClaims);
  const volumes = kit.reads(resources.persistentVolumes);
  const classes = kit.reads(resources.storageClasses);
  const pods = kit.reads(resources.pods, { fields: FIELDS_OF_PODS });
  volumes.addIndex(VOLUMES_OF_CLAIM, claimOfVolume);
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  const { client, events } = kit.env;
  return {
    claims,
    volumes,
    classes,
    pods,
    events,
    claimClient: client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims),
    volumeClient: client.clientFor<PersistentVolume>(resources.persistentVolumes),
    /** What was written in syncs of claims, and of volumes. */
    ofClaims: kit.consistency,
    ofVolumes: kit.newConsistency(),
  };
}

/** The volume was written: neither its own sync nor that of its claim may look at what it was before. */
export function volumeWritten(
  { ofVolumes }: BinderContext,
  volume: StoredObject,
  forClaim?: { readonly ofClaims: ConsistencyStore; readonly claim: StoredObject },
): void {
  ofVolumes.wroteFor(volume, resources.persistentVolumes, volume);
  forClaim?.ofClaims.wroteFor(forClaim.claim, resources.persistentVolumes, volume);
}
