import { isNotFound } from "../../pkg/client/errors.ts";
import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { SyncResult } from "../../pkg/reconcile/worker.ts";
import { finalize, markTerminating } from "./apply.ts";
import type { NamespaceContext } from "./context.ts";
import { isFinalized } from "./finalizers.ts";
import { recheckAfterMs } from "./remaining.ts";
import { deleteContent } from "./sync-content.ts";

/** One attempt to empty a namespace that is being deleted, and to let it go when it is empty. */
export async function syncNamespace(
  name: string,
  context: NamespaceContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  if (context.namespaces.get(undefined, name) === undefined) {
    log.info("The namespace has been deleted");
    return {};
  }
  const latest = await readNamespace(context, name, signal);
  if (latest?.metadata.deletionTimestamp === undefined) return {};
  const namespace = await markTerminating(context, latest, signal);
  if (namespace?.metadata.deletionTimestamp === undefined || isFinalized(namespace)) return {};
  const { estimateSeconds, written } = await deleteContent(context, namespace, log, signal);
  if (estimateSeconds > 0) {
    log.verbose(4, "Something is left in the namespace", { estimateSeconds });
    return { requeueAfterMs: recheckAfterMs(estimateSeconds) };
  }
  await finalize(context, written, signal);
  return {};
}

/** The cache may be behind: whether its contents are to be deleted is asked of the server. */
async function readNamespace(
  { namespaceClient }: NamespaceContext,
  name: string,
  signal: AbortSignal,
): Promise<Namespace | undefined> {
  try {
    return await namespaceClient.get({ name }, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
