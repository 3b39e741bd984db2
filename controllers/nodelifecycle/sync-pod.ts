import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { markPodNotReady } from "./apply.ts";
import type { NodeContext } from "./context.ts";

/** A pod that has come to a node after the node was found to be not ready: nobody else marks it. */
export async function syncPod(sync: Sync, context: NodeContext): Promise<SyncResult> {
  const pod = context.pods.lister.getByKey(sync.key);
  const known = context.known.named(pod?.spec?.nodeName ?? "");
  // The round that meets the node looks at all of its pods.
  if (pod === undefined || known?.ready === undefined || known.ready === "True") return {};
  await markPodNotReady(context, pod, sync.signal);
  return {};
}
