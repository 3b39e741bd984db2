import { claimNamesOf } from "../../pkg/api/device-claims.ts";
import { keyOf, type PartialObject, refKey, type Stored } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { allClaimNames, groupWork, isDone, podWork } from "./claim-use.ts";
import { claimsOfOwner, type GroupContext, type ResourceClaimContext, viewOf } from "./context.ts";
import type { CachedGroup, CachedPod } from "./fields.ts";

/** Objects wake those pods that they have something to do with, and for which there is something to do. */
export function podsWithWork<T extends PartialObject>(
  context: ResourceClaimContext,
  podsOf: (key: string) => readonly Stored<CachedPod>[],
): WakeRule<T> {
  return ({ object }, wake) => {
    for (const pod of podsOf(keyOf(object)))
      if (podWork(pod, viewOf(context, pod)) !== undefined) wake(keyOf(pod));
  };
}

/** A pod wakes itself while there is something to do for it. */
export function podRule(context: ResourceClaimContext): WakeRule<CachedPod> {
  return onlyWhen(["added", "updated"], ({ object: pod }, wake) => {
    if (podWork(pod, viewOf(context, pod)) !== undefined) wake(keyOf(pod));
  });
}

/** A pod that does not need its claims any more wakes them, also one that was made for it and whose creation nobody was told of. */
export function doneRule(context: Pick<ResourceClaimContext, "claims">): WakeRule<CachedPod> {
  return ({ type, object: pod }, wake) => {
    if (type !== "deleted" && !isDone(pod)) return;
    const made = claimsOfOwner(context, pod).map(({ metadata }) => metadata.name);
    for (const name of new Set([...allClaimNames(pod), ...made])) wake(refKey(pod.metadata.namespace, name));
  };
}

/** As `podsWithWork`, for groups. */
export function groupsWithWork<T extends PartialObject>(
  { claims }: Pick<ResourceClaimContext, "claims">,
  groupsOf: (key: string) => readonly Stored<CachedGroup>[],
): WakeRule<T> {
  return ({ object }, wake) => {
    for (const group of groupsOf(keyOf(object))) {
      const claim = (name: string) => claims.lister.get(group.metadata.namespace, name);
      if (groupWork(group, claim) !== undefined) wake(keyOf(group));
    }
  };
}

export function groupRule(
  context: Pick<ResourceClaimContext, "claims">,
  { groups }: GroupContext,
): WakeRule<CachedGroup> {
  return onlyWhen(
    ["added", "updated"],
    groupsWithWork(context, (key) => {
      const group = groups.lister.getByKey(key);
      return group === undefined ? [] : [group];
    }),
  );
}

/** A group that is gone wakes the claims that it had. */
export const goneGroupRule: WakeRule<CachedGroup> = onlyWhen(["deleted"], ({ object: group }, wake) => {
  for (const name of claimNamesOf(group)) wake(refKey(group.metadata.namespace, name));
});
