import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import type { QuotaContext } from "./context.ts";
import { countAnew } from "./handlers.ts";
import type { Room } from "./room.ts";
import { limitsResource } from "./status.ts";

/** Wakes the quotas that are about the resource which gave room in a namespace. */
export function syncChange({ key: room }: Sync<Room>, context: QuotaContext): SyncResult {
  const { monitors, quotas, primary, devices } = context;
  // One that is watched no more is counted when it is watched again.
  const monitor = monitors.all().find(({ resource }) => groupResource(resource) === room.resource);
  if (monitor === undefined) return {};
  for (const quota of quotas.lister.inNamespace(room.namespace)) {
    if (!limitsResource(quota, monitor.resource, devices())) continue;
    countAnew(context, (key) => primary.add(key), quota);
  }
  return {};
}

/** Wakes all quotas that are about a resource which is watched from now on: deletions before that brought no event. */
export function countListed(resource: Resource, context: QuotaContext): void {
  const wake: Wake = (key) => context.primary.add(key, "background");
  for (const quota of context.quotas.lister.list())
    if (limitsResource(quota, resource, context.devices())) countAnew(context, wake, quota);
}

/** Wakes all quotas. Changes that bring no event (the end of a grace period, a lost write) are found by this count. */
export function countAll(context: QuotaContext): SyncResult {
  const wake: Wake = (key) => context.primary.add(key, "background");
  for (const quota of context.quotas.lister.list()) countAnew(context, wake, quota);
  return {};
}
