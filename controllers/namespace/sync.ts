import type { PartialObject } from "../../pkg/api/object.ts";
import { identityOf, readLive } from "../../pkg/controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { finalize, markTerminating } from "./apply.ts";
import type { NamespaceContext } from "./context.ts";
import { isFinalized } from "./finalizers.ts";
import { recheckAfterMs } from "./remaining.ts";
import { deleteContent } from "./sync-content.ts";

/** One attempt to empty a namespace that is being deleted, and to let it go when it is empty. */
export async function syncNamespace(
  sync: OwnerSync<PartialObject>,
  context: NamespaceContext,
): Promise<SyncResult> {
  const { owner: cached, signal } = sync;
  // The cache may be behind: whether its contents are to be deleted is asked of the server.
  const latest = await readLive(context.namespaceClient, identityOf(cached), signal);
  if (latest?.metadata.deletionTimestamp === undefined) return {};
  const namespace = await markTerminating(context, latest, signal);
  if (namespace?.metadata.deletionTimestamp === undefined || isFinalized(namespace)) return {};
  const { estimateSeconds, written } = await deleteContent(sync, context, namespace);
  if (estimateSeconds > 0) {
    sync.decided("Something is left in the namespace", { estimateSeconds });
    return { requeueAfterMs: recheckAfterMs(estimateSeconds) };
  }
  sync.decided("Nothing is left in the namespace");
  await finalize(context, written, signal);
  return {};
}
