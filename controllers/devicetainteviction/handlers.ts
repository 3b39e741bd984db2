import { semanticEqual } from "../../pkg/api/equality.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { Wake, WakeRule } from "../../pkg/controller/cache.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { claimsOfDevice, type DeviceEvictionContext, podsOfConsumer, slicesOfPool } from "./context.ts";
import { changedDevices, poolOf, ruleMatches } from "./device-taints.ts";
import { usesDevices } from "./eviction-plan.ts";
import type { CachedClaim, CachedPod, CachedRule, CachedSlice } from "./fields.ts";

type Wired = Pick<DeviceEvictionContext, "pods" | "claims" | "slices" | "withGroups">;

/** Pods wake themselves that have come to a node, or have been told of claims since. All are looked at in the beginning. */
export const podRule: WakeRule<CachedPod> = onlyWhen(["added", "updated"], (change, wake) => {
  const { object: pod } = change;
  if (!usesDevices(pod)) return;
  if (change.type === "updated" && isAlike(change.before, pod)) return;
  wake(keyOf(pod));
});

function isAlike(before: CachedPod, after: CachedPod): boolean {
  return (
    before.spec?.nodeName === after.spec?.nodeName &&
    before.status?.phase === after.status?.phase &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    semanticEqual(before.status?.resourceClaimStatuses, after.status?.resourceClaimStatuses) &&
    semanticEqual(before.status?.extendedResourceClaimStatus, after.status?.extendedResourceClaimStatus)
  );
}

/** A claim wakes those for whom it means something else than before. */
export function claimRule(context: Wired): WakeRule<CachedClaim> {
  return (change, wake) => {
    const { object: claim } = change;
    if (change.type === "added" && change.listed) return;
    if (change.type !== "updated") return wakeUsers(context, claim, wake);
    const { before } = change;
    if (!semanticEqual(before.status?.allocation, claim.status?.allocation)) {
      wakeUsers(context, before, wake);
      wakeUsers(context, claim, wake);
      return;
    }
    if (claim.status?.allocation === undefined) return;
    wakeUsers(context, claim, wake, before);
    wakeUsers(context, before, wake, claim);
  };
}

/** Wakes the pods that may use the claim, but for those who may as well use the other. */
function wakeUsers(
  context: Pick<Wired, "pods" | "withGroups">,
  claim: Stored<CachedClaim>,
  wake: Wake,
  other?: CachedClaim,
): void {
  const known = new Set(other?.status?.reservedFor?.map(({ uid }) => uid));
  for (const consumer of claim.status?.reservedFor ?? []) {
    if (known.has(consumer.uid)) continue;
    for (const pod of podsOfConsumer(context, claim, consumer)) wake(keyOf(pod));
  }
}

/** A slice wakes the users of devices that may have got or lost taints. */
export function sliceRule(context: Wired): WakeRule<CachedSlice> {
  return (change, wake) => {
    if (change.type === "added" && change.listed) return;
    const before = change.type === "updated" ? change.before : undefined;
    const [old, next] = change.type === "deleted" ? [change.object] : [before, change.object];
    // A slice may move to another pool.
    const pools = new Set([old, next].flatMap((slice) => (slice === undefined ? [] : [poolOf(slice)])));
    for (const pool of pools) {
      const [one, other] = [old, next].map((slice) =>
        slice !== undefined && poolOf(slice) === pool ? slice : undefined,
      );
      const { name } = change.object.metadata;
      const others = slicesOfPool(context, pool).filter(({ metadata }) => metadata.name !== name);
      for (const device of changedDevices(one, other, others))
        for (const claim of claimsOfDevice(context, `${pool}/${device}`)) wakeUsers(context, claim, wake);
    }
  };
}

/** A rule wakes the users of all devices that it is about, or was. Rules are few, and change seldom. */
export function ruleRule(context: Wired): WakeRule<CachedRule> {
  return (change, wake) => {
    const { object: rule } = change;
    if (change.type === "added" && change.listed) return;
    if (change.type === "updated" && semanticEqual(change.before.spec, rule.spec)) return;
    const rules = change.type === "updated" ? [change.before, rule] : [rule];
    for (const claim of context.claims.lister.list()) {
      const devices = claim.status?.allocation?.devices?.results ?? [];
      if (devices.some((device) => rules.some((each) => ruleMatches(each, device))))
        wakeUsers(context, claim, wake);
    }
  };
}

/** Rules tell of themselves when they come, and when they are about something else. */
export const ruleStatusRule: WakeRule<CachedRule> = onlyWhen(["added", "updated"], (change, wake) => {
  if (change.type === "updated" && semanticEqual(change.before.spec, change.object.spec)) return;
  wake(keyOf(change.object));
});
