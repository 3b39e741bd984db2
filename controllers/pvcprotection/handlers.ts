import { claimKeysOf } from "../../pkg/api/pod-claims.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { hasPodEnded } from "../../pkg/api/pod.ts";
import type { PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { unprotected } from "../../pkg/controller/protection.ts";
import { type CachedPod, isShutDown } from "./claim-use.ts";
import type { ClaimProtectionContext } from "./context.ts";
import { FINALIZER } from "./sync.ts";
import { saysWhetherUnused } from "./unused-condition.ts";

type Wired = Pick<ClaimProtectionContext, "claims" | "tellsUnused">;

/** Claims wake themselves that lack the finalizer, are to lose it, or have yet to say whether they are used. */
export function claimRule({ tellsUnused }: Pick<Wired, "tellsUnused">): WakeRule<PersistentVolumeClaim> {
  const ofFinalizer = unprotected<PersistentVolumeClaim>(FINALIZER);
  return (change, wake) => {
    ofFinalizer(change, wake);
    if (tellsUnused && change.type !== "deleted" && !saysWhetherUnused(change.object))
      wake(keyOf(change.object));
  };
}

/**
 * A pod that lets go of its claims wakes those that wait for that; where claims tell of their use, one that takes them
 * does so, too. All others are left alone: most pods come and go while nobody deletes a claim.
 */
export function podRule({ claims, tellsUnused }: Wired): WakeRule<CachedPod> {
  return (change, wake) => {
    if (tellsUnused ? !changesUse(change) : !letsGo(change)) return;
    for (const key of claimKeysOf(change.object)) {
      if (tellsUnused || claims.lister.getByKey(key)?.metadata.deletionTimestamp !== undefined) wake(key);
    }
  };
}

function letsGo(change: Change<CachedPod>): boolean {
  if (change.type === "deleted") return true;
  return change.type === "updated" && isShutDown(change.object) && !isShutDown(change.before);
}

function changesUse(change: Change<CachedPod>): boolean {
  if (change.type !== "updated") return true;
  return letsGo(change) || (hasPodEnded(change.object) && !hasPodEnded(change.before));
}
