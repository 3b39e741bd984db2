import { POD_CLAIM_FIELDS } from "../../pkg/api/pod-claims.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { BIND_COMPLETED, classOf, isAnnotated, namesClass } from "../../pkg/api/volumes/claim-facts.ts";

/** What is read of pods to know their claims, and whether they still use them. */
export const POD_FIELDS = [...POD_CLAIM_FIELDS, "spec.nodeName", "status.phase"] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;

/** A pod that has ended, or will never begin. */
export function isOver(pod: CachedPod): boolean {
  const isPlaced = (pod.spec?.nodeName ?? "") !== "";
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !isPlaced);
}

/** Index of claims by the volume that they name. */
export const CLAIMS_OF_VOLUME = "volume";

export function volumeOfClaim({ spec }: PersistentVolumeClaim): readonly string[] {
  return spec?.volumeName ? [spec.volumeName] : [];
}

/** Index of claims that are not bound, by their class; under "" are those that take the default class. */
export const UNBOUND_OF_CLASS = "unbound";

export function unboundOfClass(claim: PersistentVolumeClaim): readonly string[] {
  if (isAnnotated(claim, BIND_COMPLETED)) return [];
  return namesClass(claim) ? [classOf(claim)].filter((name) => name !== "") : [""];
}
