import { splitKey } from "../../pkg/api/object.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import type { QuotaContext } from "./context.ts";
import { countAnew, type QuotaQueues } from "./handlers.ts";
import { limitsResource } from "./status.ts";

/** Has the quotas counted that something of a resource gave room in. */
export function syncChange(
  key: string,
  context: QuotaContext,
  { primary }: Pick<QuotaQueues, "primary">,
): SyncResult {
  const { namespace = "", name } = splitKey(key);
  // One that is watched no more is counted when it is watched again.
  const monitor = context.monitors.all().find(({ resource }) => groupResource(resource) === name);
  if (monitor === undefined) return {};
  for (const quota of context.quotas.inNamespace(namespace)) {
    if (limitsResource(quota, monitor.resource, context.devices())) countAnew(context, primary, quota);
  }
  return {};
}
