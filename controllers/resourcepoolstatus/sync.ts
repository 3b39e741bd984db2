import type { Stored } from "../../pkg/api/object.ts";
import type { V1alpha3ResourcePoolStatusRequest } from "../../pkg/api/types/resource-v1alpha3.gen.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { type PoolStatusContext, poolsOf } from "./context.ts";
import { decidePoolStatus, type Status } from "./pool-status.ts";

const MS_PER_S = 1_000;

/** Answers a request once. Whoever wants to know again asks anew. */
export async function syncRequest(
  sync: OwnerSync<V1alpha3ResourcePoolStatusRequest>,
  context: PoolStatusContext,
): Promise<SyncResult> {
  const { owner } = sync;
  if (owner.status !== undefined) return {};
  const startMs = context.clock.monotonicMs();
  const answer = decidePoolStatus(owner, poolsOf(context, owner.spec.driver), context.clock.nowMs());
  // Drivers get a little time to publish what is missing.
  if ("incomplete" in answer) throw new Error(answer.incomplete);
  sync.decided("The request is answered", { pools: answer.status.poolCount });
  await answerRequest(sync, context, { ...owner, status: answer.status }, startMs);
  return {};
}

async function answerRequest(
  sync: OwnerSync<V1alpha3ResourcePoolStatusRequest>,
  { clock, metrics, writes }: PoolStatusContext,
  answered: Stored<V1alpha3ResourcePoolStatusRequest> & { readonly status: Status },
  startMs: number,
): Promise<void> {
  const labels = { driver_name: answered.spec.driver };
  try {
    await writes.updateStatusUnread(sync, answered);
  } catch (error) {
    metrics.failed.inc(labels);
    throw error;
  } finally {
    metrics.processed.inc(labels);
    metrics.durations.observe((clock.monotonicMs() - startMs) / MS_PER_S, labels);
  }
}
