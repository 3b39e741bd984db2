import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { GroupProtectionContext } from "./context.ts";
import { type CachedPod, groupKeyOf, heldGroupsOf } from "./group-pods.ts";

/** A pod that goes, or has ended, wakes its group if that waits to go. */
export function podRule({ groups }: Pick<GroupProtectionContext, "groups">): WakeRule<CachedPod> {
  return ({ type, object }, wake) => {
    const key = groupKeyOf(object);
    if (key === undefined) return;
    if (type !== "deleted" && heldGroupsOf(object).length > 0) return;
    if (groups.lister.getByKey(key)?.metadata.deletionTimestamp !== undefined) wake(key);
  };
}
