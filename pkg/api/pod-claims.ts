import { type PartialObject, refKey } from "./object.ts";
import { controllerOf } from "./owner-references.ts";
import type { PartOf } from "./projected.ts";
import type { Pod } from "./types/core-v1.gen.ts";

/** A claim that a volume of a pod names. */
export interface PodClaim {
  readonly name: string;
  /** The claim is made for the pod and goes with it. */
  readonly isEphemeral: boolean;
}

/** What is read of pods to know their claims. Of the claims of ephemeral volumes only that they are there is asked. */
export const POD_CLAIM_FIELDS = [
  "spec.volumes.name",
  "spec.volumes.persistentVolumeClaim.claimName",
  "spec.volumes.ephemeral",
] as const;

export type PodWithClaims = PartialObject & PartOf<Pod, (typeof POD_CLAIM_FIELDS)[number]>;

/** The claims that the volumes of a pod name. */
export function podClaims({ metadata, spec }: PodWithClaims): readonly PodClaim[] {
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): PodClaim[] => {
    if (persistentVolumeClaim !== undefined)
      return [{ name: persistentVolumeClaim.claimName, isEphemeral: false }];
    return ephemeral === undefined
      ? []
      : [{ name: ephemeralClaimName({ metadata }, { name }), isEphemeral: true }];
  });
}

/** Name of the claim that is made for an ephemeral volume of the pod. */
export function ephemeralClaimName(pod: PartialObject, volume: { readonly name: string }): string {
  return `${pod.metadata.name}-${volume.name}`;
}

/** The claim was made for this very pod, and is not one that somebody else has made under its name. */
export function isClaimOfPod(claim: PartialObject, pod: PartialObject): boolean {
  const { namespace, uid } = pod.metadata;
  return claim.metadata.namespace === namespace && uid !== undefined && controllerOf(claim)?.uid === uid;
}

/** For an index of pods by the claims that they name. */
export const CLAIMS_OF_PODS = "claims";

export function claimKeysOf(pod: PodWithClaims): readonly string[] {
  return podClaims(pod).map(({ name }) => refKey(pod.metadata.namespace, name));
}
