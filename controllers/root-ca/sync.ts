import { ApiError, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { SyncResult } from "../../pkg/reconcile/worker.ts";
import { CONFIG_MAP, newConfigMap, repairedConfigMap } from "./config-map.ts";
import type { PublisherContext } from "./context.ts";

/** Sees to it that the namespace has the CA, and counts how that went. */
export async function publishRootCa(
  namespace: string,
  context: PublisherContext,
  signal: AbortSignal,
): Promise<SyncResult> {
  const startMs = context.clock.monotonicMs();
  let code = "200";
  try {
    await publish(namespace, context, signal);
    return {};
  } catch (error) {
    signal.throwIfAborted();
    code = codeOf(error);
    throw error;
  } finally {
    if (!signal.aborted) {
      context.durations.observe((context.clock.monotonicMs() - startMs) / 1_000, { code });
      context.syncs.inc({ code });
    }
  }
}

async function publish(namespace: string, context: PublisherContext, signal: AbortSignal): Promise<void> {
  const map = context.configMaps.get(namespace, CONFIG_MAP);
  if (map === undefined) {
    await create(namespace, context, signal);
    return;
  }
  const repaired = repairedConfigMap(map, context.rootCa);
  if (repaired !== undefined) await context.client.update(repaired, {}, signal);
}

async function create(namespace: string, context: PublisherContext, signal: AbortSignal): Promise<void> {
  try {
    await context.client.create(newConfigMap(namespace, context.rootCa), {}, signal);
  } catch (error) {
    // A namespace that is gone or going needs no CA.
    if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}

/** As the label of the metrics: what has no answer of the server's counts as its failure. */
function codeOf(error: unknown): string {
  return error instanceof ApiError && error.code !== 0 ? String(error.code) : "500";
}
