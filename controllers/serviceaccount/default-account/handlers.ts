import type { Namespace, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../../pkg/workqueue/queue.ts";

/** Keys are names of namespaces. */
export function namespaceHandler(queue: WorkQueue<string>): EventHandler<Namespace> {
  return {
    onAdd: ({ metadata }, inInitialList) =>
      queue.add(metadata.name ?? "", inInitialList ? "background" : "live"),
    onUpdate: (_before, { metadata }) => queue.add(metadata.name ?? ""),
  };
}

/** An account that was deleted may have been the one that must be there. */
export function accountHandler(queue: WorkQueue<string>): EventHandler<ServiceAccount> {
  return { onDelete: ({ metadata }) => queue.add(metadata.namespace ?? "") };
}
