import { runPaced } from "../../pkg/cache/pace.ts";
import { selectsPods } from "../../pkg/endpoints/backing-pods.ts";
import { LOOK_AGAIN_MS } from "../../pkg/endpoints/look-again.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { selectPods } from "../../pkg/controller/select-pods.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { deleteEndpoints, writeEndpoints } from "./apply.ts";
import type { EndpointsContext } from "./context.ts";
import { decideEndpoints } from "./plan.ts";

/** Writes the pods that a Service selects into its Endpoints, or deletes those of a Service that is gone. */
export async function syncService(
  key: string,
  context: EndpointsContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const service = context.services.getByKey(key);
  if (service === undefined) {
    const current = context.endpoints.getByKey(key);
    if (current !== undefined) await deleteEndpoints(context, current, signal);
    context.triggerTimes.forget(key);
    context.consistency.deleteName(key);
    return {};
  }
  if (!selectsPods(service)) return {};
  const pods = await selectPods(service, context.pods, context.clock);
  const current = context.endpoints.getByKey(key);
  // Asked for even when nothing is written, as it tells what has changed since it was asked before.
  const triggerTime = await runPaced(context.clock, context.triggerTimes.next(key, service, pods));
  const plan = await runPaced(context.clock, decideEndpoints({ service, pods, current, triggerTime }));
  if (plan.action === "none") return {};
  log.verbose(4, "Writing Endpoints", { action: plan.action });
  const isWritten = await writeEndpoints(context, service, plan, signal);
  return isWritten && plan.action === "create" ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
}
