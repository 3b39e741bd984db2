import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import { LOOK_AGAIN_MS } from "../../pkg/endpoints/look-again.ts";
import { STALE_WAIT_MS, stays } from "../../pkg/endpoints/slice-tracker.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { deleteSlice, writeMirror } from "./apply.ts";
import { ENDPOINTS_INDEX, type MirrorContext } from "./context.ts";
import { hasSelector } from "./handlers.ts";
import { isMirrored } from "./mirror-slice.ts";
import { decideMirror } from "./plan.ts";

/** Writes Endpoints that somebody keeps by hand into slices, or deletes the slices of those that are not to be mirrored. */
export async function syncEndpoints(
  key: string,
  context: MirrorContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const startMs = context.clock.monotonicMs();
  try {
    const endpoints = context.endpoints.getByKey(key);
    if (endpoints !== undefined && shouldMirror(key, endpoints, context)) {
      return await mirror(key, endpoints, context, log, signal);
    }
    await deleteMirrored(key, context, signal);
    return {};
  } finally {
    context.metrics.seconds.observe(Math.floor(context.clock.monotonicMs() - startMs) / 1_000);
  }
}

/** Only where a Service without a selector says that they are somebody's own. */
function shouldMirror(key: string, endpoints: Endpoints, { services }: MirrorContext): boolean {
  const service = services.getByKey(key);
  return isMirrored(endpoints) && service !== undefined && !hasSelector(service);
}

async function mirror(
  key: string,
  endpoints: Endpoints,
  context: MirrorContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { tracker, metrics, events, maxPerSubset } = context;
  const cached = context.slices.byIndex(ENDPOINTS_INDEX, key);
  if (tracker.areStale(key, cached)) {
    log.verbose(2, "The cache of EndpointSlices is out of date");
    return { requeueAfterMs: STALE_WAIT_MS };
  }
  const plan = decideMirror({ endpoints, slices: cached.filter(stays), maxPerSubset });
  metrics.skipped.observe(plan.skipped);
  for (const { reason, message } of plan.events) events.event(endpoints, "Warning", reason, message);
  metrics.added.observe(plan.counts.added);
  metrics.updated.observe(plan.counts.updated);
  metrics.removed.observe(plan.counts.removed);
  metrics.setFillings(key, plan.fillings);
  for (const slice of plan.kept) if (!tracker.has(slice)) tracker.wrote(slice);
  const hasCreated = await writeMirror(context, endpoints, plan, signal);
  return hasCreated ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
}

async function deleteMirrored(key: string, context: MirrorContext, signal: AbortSignal): Promise<void> {
  context.tracker.forgetService(key);
  context.metrics.forget(key);
  const errors: unknown[] = [];
  for (const slice of context.slices.byIndex(ENDPOINTS_INDEX, key)) {
    try {
      await deleteSlice(context, slice, signal);
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} EndpointSlices were not deleted`);
}
