import { type ApiObject, keyOf, refKey } from "../../pkg/api/object.ts";
import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import { parseTime } from "../../pkg/api/time.ts";
import { isExtendedRequest } from "../../pkg/api/quota/usage.ts";
import type { DeviceClass } from "../../pkg/api/types/resource-v1.gen.ts";
import type { ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { QuotaContext } from "./context.ts";
import { changesUsage } from "./replenishment.ts";
import { countsOtherwise, isUrgent, limitsResource } from "./status.ts";

export interface QuotaQueues {
  readonly primary: WorkQueue<string>;
  /** Of quotas whose usage is not known at all. */
  readonly urgent: WorkQueue<string>;
  /** Namespaces in which something of a resource gave room: "team/pods", "team/deployments.apps". */
  readonly changes: WorkQueue<string>;
}

/** Has a quota counted anew where less of it may be used than its status says. */
export function countAnew(
  { mayUseLess }: Pick<QuotaContext, "mayUseLess">,
  queue: WorkQueue<string>,
  quota: ResourceQuota,
  priority: Priority = "live",
): void {
  mayUseLess.add(keyOf(quota));
  queue.add(keyOf(quota), priority);
}

/** What is written to a quota's status comes from here: only its limits are a reason to count. */
export function quotaHandler(
  context: Pick<QuotaContext, "monitors" | "mayUseLess" | "loweredMs" | "devices">,
  { primary, urgent }: QuotaQueues,
): EventHandler<ResourceQuota> {
  const add = (quota: ResourceQuota, inInitialList = false): void => {
    const tracked = context.monitors.all().map(({ resource }) => resource);
    const queue = isUrgent(quota, tracked, context.devices()) ? urgent : primary;
    countAnew(context, queue, quota, inInitialList ? "background" : "live");
  };
  return {
    onAdd: add,
    onUpdate: (before, after) => {
      if (before.metadata.uid !== after.metadata.uid || countsOtherwise(before, after)) add(after);
    },
    onDelete: (quota) => {
      context.mayUseLess.delete(keyOf(quota));
      context.loweredMs.delete(keyOf(quota));
    },
  };
}

/** A count of all takes the place of what may have been missed for so long. */
const UNSETTLED_MS = 300_000;
/** Many may come at once. */
const SETTLE_MS = 1_000;

/**
 * What goes, or uses something else from now on, gives room to others. What comes was counted by the API server, but for
 * what was there before the quota, and what came while something else went: a cache that lags tells of it only after a
 * count that has overwritten that of the API server.
 */
export function objectHandler(
  resource: Resource,
  context: Pick<QuotaContext, "quotas" | "clock" | "mayUseLess" | "loweredMs" | "devices">,
  { primary, changes }: QuotaQueues,
): EventHandler<ApiObject> {
  const concerned = ({ metadata }: ApiObject): readonly ResourceQuota[] => {
    const quotas = context.quotas.inNamespace(metadata.namespace ?? "");
    return quotas.filter((quota) => limitsResource(quota, resource, context.devices()));
  };
  const tell = ({ metadata }: ApiObject): void =>
    changes.add(refKey(metadata.namespace, groupResource(resource)));
  return {
    onAdd: (object, inInitialList) => {
      if (inInitialList) return;
      const nowMs = context.clock.monotonicMs();
      for (const quota of concerned(object)) {
        const key = keyOf(quota);
        if (!isYounger(object, quota)) primary.add(key);
        else if (nowMs - (context.loweredMs.get(key) ?? -Infinity) < UNSETTLED_MS)
          primary.addAfter(key, SETTLE_MS);
      }
    },
    onUpdate: (before, after) => {
      if (concerned(after).length === 0) return;
      const isOther = before.metadata.uid !== after.metadata.uid;
      if (isOther || changesUsage(resource, before, after, context.clock.nowMs())) tell(after);
    },
    onDelete: (object) => {
      if (concerned(object).length > 0) tell(object);
    },
  };
}

/** Which limits claims count for changes with the classes of devices. */
export function deviceClassHandler(
  context: Pick<QuotaContext, "quotas" | "mayUseLess">,
  { primary }: QuotaQueues,
): EventHandler<DeviceClass> {
  const wake = (): void => {
    for (const quota of context.quotas.list())
      if (Object.keys(quota.spec?.hard ?? {}).some(isExtendedRequest)) countAnew(context, primary, quota);
  };
  return {
    onAdd: wake,
    onUpdate: (before, after) => {
      if (before.spec.extendedResourceName !== after.spec.extendedResourceName) wake();
    },
    onDelete: wake,
  };
}

/** Has all quotas counted that are about a resource which is watched from now on: nobody told what went before. */
export function countListed(
  resource: Resource,
  context: Pick<QuotaContext, "quotas" | "mayUseLess" | "devices">,
  { primary }: QuotaQueues,
): void {
  for (const quota of context.quotas.list())
    if (limitsResource(quota, resource, context.devices())) countAnew(context, primary, quota, "background");
}

/** Times are told in whole seconds: within one, nobody knows. */
function isYounger(object: ApiObject, quota: ResourceQuota): boolean {
  const [bornMs, quotaMs] = [object, quota].map(({ metadata }) => parseTime(metadata.creationTimestamp));
  return bornMs !== undefined && quotaMs !== undefined && bornMs > quotaMs;
}
