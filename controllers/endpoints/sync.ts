import { runInTurns } from "../../pkg/clock/turns.ts";
import { selectPods } from "../../pkg/controller/endpoints/select-pods.ts";
import type { OwnerSync, Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { selectsPods, type BackedService } from "../../pkg/endpoints/backing-pods.ts";
import { LOOK_AGAIN_MS } from "../../pkg/endpoints/look-again.ts";
import { deleteEndpoints, writeEndpoints } from "./apply.ts";
import type { EndpointsContext } from "./context.ts";
import { decideEndpoints } from "./plan.ts";

/** Writes the pods that a Service selects into its Endpoints. */
export async function syncService(
  sync: OwnerSync<BackedService>,
  context: EndpointsContext,
): Promise<SyncResult> {
  const { key, owner: service } = sync;
  const { clock, triggerTimes } = context;
  if (!selectsPods(service)) return {};
  const pods = await selectPods(service, context.pods.lister, clock);
  const current = context.endpoints.lister.getByKey(key);
  // Asked for even when nothing is written, as it tells what has changed since it was asked before.
  const triggerTime = await runInTurns(clock, triggerTimes.next(key, service, pods));
  const plan = await runInTurns(clock, decideEndpoints({ service, pods, current, triggerTime }));
  if (plan.action === "none") return {};
  sync.decided("Write Endpoints", { action: plan.action, pods: pods.length });
  const isWritten = await writeEndpoints(sync, context, plan);
  return isWritten && plan.action === "create" ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
}

/** Deletes the Endpoints of a Service that is gone. */
export async function syncLeftover(sync: Sync, context: EndpointsContext): Promise<SyncResult> {
  const current = context.endpoints.lister.getByKey(sync.key);
  if (current !== undefined) await deleteEndpoints(sync, context, current);
  context.triggerTimes.forget(sync.key);
  return {};
}
