import { type PartialObject, keyOf } from "../../pkg/api/object.ts";
import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import { isExtendedRequest } from "../../pkg/api/quota/usage.ts";
import type { DeviceClass } from "../../pkg/api/types/resource-v1.gen.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import type { Wake, WakeRule } from "../../pkg/controller/cache.ts";
import type { QuotaContext } from "./context.ts";
import { changesUsage, isYounger } from "./replenishment.ts";
import { Room } from "./room.ts";
import { countsOtherwise, isUrgent, limitsResource } from "./status.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { CLASS_FIELDS } from "../../pkg/api/quota/devices.ts";

/** Wakes a quota of which less may be used than its status says. */
export function countAnew({ mayUseLess }: QuotaContext, wake: Wake, quota: ResourceQuota): void {
  mayUseLess.set(quota, true);
  wake(keyOf(quota));
}

/** Only new limits of a quota are a reason to count: its status is written by this controller. */
export function newLimits(context: QuotaContext, wanted: "urgent" | "usual"): WakeRule<ResourceQuota> {
  return (change, wake) => {
    if (change.type === "deleted") return;
    if (change.type === "updated" && !countsOtherwise(change.before, change.object)) return;
    const tracked = context.monitors.all().map(({ resource }) => resource);
    const found = isUrgent(change.object, tracked, context.devices()) ? "urgent" : "usual";
    if (found === wanted) countAnew(context, wake, change.object);
  };
}

/** For so long after less was written, objects may be missing in the count. Then a full count finds them. */
const UNSETTLED_MS = 300_000;
/** Several objects may come at once, and are counted together. */
const SETTLE_MS = 1_000;

/**
 * The API server counts what is created. It misses two sorts of objects: those that were there before the quota, and
 * those that came while something else went, when a cache that lagged led to a count that overwrote the API server's.
 */
export function tooOldToBeCounted(resource: Resource, context: QuotaContext): WakeRule<PartialObject> {
  return (change, wake) => {
    if (change.type !== "added" || change.listed) return;
    const nowMs = context.clock.monotonicMs();
    for (const quota of limitedQuotas(resource, context, change.object)) {
      if (!isYounger(change.object, quota)) wake(keyOf(quota));
      else if (nowMs - (context.loweredMs.get(quota) ?? -Infinity) < UNSETTLED_MS)
        wake(keyOf(quota), SETTLE_MS);
    }
  };
}

/** An object that is deleted, or uses something else from now on, gives room to others. */
export function givesRoom(resource: Resource, context: QuotaContext): WakeRule<PartialObject, Room> {
  const name = groupResource(resource);
  return (change, wake) => {
    const { object, type } = change;
    if (type === "added" || limitedQuotas(resource, context, object).length === 0) return;
    if (type === "updated" && !changesUsage(resource, change.before, object, context.clock.nowMs())) return;
    wake(context.rooms.of(new Room(object.metadata.namespace ?? "", name)));
  };
}

/** The quotas that are about an object of this resource. */
function limitedQuotas(
  resource: Resource,
  { quotas, devices }: QuotaContext,
  { metadata: { namespace = "" } }: PartialObject,
): readonly ResourceQuota[] {
  const inNamespace = quotas.lister.inNamespace(namespace);
  return inNamespace.filter((quota) => limitsResource(quota, resource, devices()));
}

/** Which limits claims count for changes with the classes of devices. */
export function changedClass(context: QuotaContext): WakeRule<Projected<DeviceClass, typeof CLASS_FIELDS>> {
  return (change, wake) => {
    if (change.type === "updated") {
      const { before, object } = change;
      if (before.spec.extendedResourceName === object.spec.extendedResourceName) return;
    }
    for (const quota of context.quotas.lister.list())
      if (Object.keys(quota.spec?.hard ?? {}).some(isExtendedRequest)) countAnew(context, wake, quota);
  };
}
