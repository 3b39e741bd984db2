import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from "../types/core-v1.gen.ts";
import { BOUND_BY_CONTROLLER, isAnnotated, isFor, withAnnotations } from "./claim-facts.ts";

const byController = { [BOUND_BY_CONTROLLER]: "yes" };

export function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The volume as one of the claim; the very volume when it is that already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const wasKept = isFor(volume, claim);
  if (wasKept && volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const bound = { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  return wasKept || isAnnotated(volume, BOUND_BY_CONTROLLER) ? bound : withAnnotations(bound, byController);
}
