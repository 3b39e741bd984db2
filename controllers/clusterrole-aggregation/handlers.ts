import type { ClusterRole } from "../../pkg/api/types/rbac-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";

/**
 * Any change may touch any aggregated role: which ones select it, before and after, and through how many steps, is not
 * known. There are few of them, so all are looked at.
 */
export function roleHandler(roles: Lister<ClusterRole>, queue: WorkQueue<string>): EventHandler<ClusterRole> {
  const wakeAll = (priority: Priority): void => {
    for (const { metadata, aggregationRule } of roles.list()) {
      if (aggregationRule !== undefined) queue.add(metadata.name ?? "", priority);
    }
  };
  return {
    onAdd: (_role, inInitialList) => wakeAll(inInitialList ? "background" : "live"),
    onUpdate: () => wakeAll("live"),
    onDelete: () => wakeAll("live"),
  };
}
