import { keyOf, type PartialObject } from "../../pkg/api/object.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Cache, WakeRule } from "../../pkg/controller/cache.ts";
import { isClaimNameOf } from "./claims.ts";

/**
 * Wakes the StatefulSets that may wait until a claim of an earlier pod is deleted, or loses an owner that is gone.
 *
 * upstream: pkg/controller/statefulset/stateful_set_control.go#processReplica waits for such claims, too, and is woken
 * by nothing but a pod or the StatefulSet itself.
 */
export function claimRule({ lister }: Pick<Cache<StatefulSet>, "lister">): WakeRule<PartialObject> {
  return (change, wake) => {
    const isFreer =
      change.type === "updated"
        ? ownersOf(change.object) < ownersOf(change.before)
        : change.type === "deleted";
    if (!isFreer) return;
    const { namespace = "", name } = change.object.metadata;
    for (const set of lister.inNamespace(namespace)) if (isClaimNameOf(set, name)) wake(keyOf(set));
  };
}

function ownersOf({ metadata }: PartialObject): number {
  return metadata.ownerReferences?.length ?? 0;
}
