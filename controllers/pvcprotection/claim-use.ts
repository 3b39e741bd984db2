import { isClaimOfPod, POD_CLAIM_FIELDS, podClaims } from "../../pkg/api/pod-claims.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import { hasPodEnded, POD_END_FIELDS } from "../../pkg/api/pod.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods. */
export const POD_FIELDS = [...POD_CLAIM_FIELDS, ...POD_END_FIELDS, "spec.nodeName"] as const;
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;

/** Whether a pod uses a claim. */
export type Usage = (pod: CachedPod, claim: PartialObject) => boolean;

/**
 * The claim of the pod must stay. A pod without a node does not hold it: it gets none while the claim is being deleted.
 * One that has finished does, as its volumes may still be mounted; only a claim that goes with the pod (of an ephemeral
 * volume, or of a StatefulSet that keeps none) is not held once the kubelet is done with the pod: the pod may wait for
 * its claim to go, and the two would wait for each other.
 */
export const holdsClaim: Usage = (pod, claim) => {
  if ((pod.spec?.nodeName ?? "") === "" || !namesClaim(pod, claim)) return false;
  return !isShutDown(pod) || !isClaimOfPod(claim, pod);
};

/** The claim is of use for the pod, be it that that has yet to get a node. */
export const needsClaim: Usage = (pod, claim) => !hasPodEnded(pod) && namesClaim(pod, claim);

function namesClaim(pod: CachedPod, claim: PartialObject): boolean {
  return podClaims(pod).some(
    ({ name, isEphemeral }) => name === claim.metadata.name && (!isEphemeral || isClaimOfPod(claim, pod)),
  );
}

/** The kubelet is done with it, or it was deleted by force: it waits for its finalizers only. */
export function isShutDown({ metadata }: PartialObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}
