import type { ConfigMap, Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";

/** Keys are names of namespaces. */
export function namespaceHandler(queue: WorkQueue<string>): EventHandler<Namespace> {
  return {
    onAdd: ({ metadata }, inInitialList) =>
      queue.add(metadata.name ?? "", inInitialList ? "background" : "live"),
    onUpdate: (_before, { metadata, status }) => {
      if (status?.phase === "Active") queue.add(metadata.name ?? "");
    },
  };
}

/** The informer has only the maps of the one name that matters. */
export function configMapHandler(queue: WorkQueue<string>): EventHandler<ConfigMap> {
  return {
    onUpdate: (_before, { metadata }) => queue.add(metadata.namespace ?? ""),
    onDelete: ({ metadata }) => queue.add(metadata.namespace ?? ""),
  };
}
