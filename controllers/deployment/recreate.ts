import { isPodTerminal } from "../../pkg/api/pod.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { activeOf, type Revisions, sum } from "./replica-sets.ts";
import { type ScaleStep, scaleStep } from "./scaling.ts";
import { podsOf } from "./status.ts";

/** What is read of pods. */
export const POD_FIELDS = ["status.phase"] as const;
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;

/** Before the first pod of a revision is created, all pods of the others must have ended. */
export function decideOldRemoval(revisions: Revisions): readonly ScaleStep[] {
  return activeOf(revisions.old).map((old) => scaleStep(old, 0, "old pods go before new ones come"));
}

/**
 * Whether pods of old revisions still run, those that are being deleted included: by what the ReplicaSets say or by the
 * pods themselves, as either may be seen later than the other. `pods` are all those of the Deployment by the uid of
 * their ReplicaSet.
 */
export function oldPodsRun(revisions: Revisions, pods: ReadonlyMap<string, readonly CachedPod[]>): boolean {
  if (sum(revisions.old, podsOf) > 0) return true;
  const currentUid = revisions.current?.metadata.uid;
  return [...pods].some(([uid, ofOne]) => uid !== currentUid && ofOne.some((pod) => !isPodTerminal(pod)));
}
