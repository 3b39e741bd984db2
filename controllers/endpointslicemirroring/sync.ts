import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { OwnerSync, Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { LOOK_AGAIN_MS } from "../../pkg/endpoints/look-again.ts";
import { STALE_WAIT_MS } from "../../pkg/endpoints/slice-tracker.ts";
import { deleteMirrored, writeMirror } from "./apply.ts";
import type { MirrorContext } from "./context.ts";
import { hasSelector } from "./handlers.ts";
import { isMirrored } from "./mirror-slice.ts";
import { decideMirror } from "./plan.ts";

/** Writes Endpoints that somebody keeps by hand into slices, or deletes the slices of those that are not to be mirrored. */
export async function syncEndpoints(sync: OwnerSync<Endpoints>, context: MirrorContext): Promise<SyncResult> {
  if (!shouldMirror(sync, context)) return syncGone(sync, context);
  return timed(context, async () => mirror(sync, context));
}

/** Of Endpoints that are gone, or not to be mirrored any more, nothing is left. */
export async function syncGone(sync: Sync, context: MirrorContext): Promise<SyncResult> {
  return timed(context, async () => {
    context.slices.forget(sync.key);
    context.metrics.slices.delete(sync.key);
    await deleteMirrored(sync, context);
    return {};
  });
}

/** Only where a Service without a selector says that they are somebody's own. */
function shouldMirror({ key, owner: endpoints }: OwnerSync<Endpoints>, { services }: MirrorContext): boolean {
  const service = services.lister.getByKey(key);
  return isMirrored(endpoints) && service !== undefined && !hasSelector(service);
}

async function mirror(sync: OwnerSync<Endpoints>, context: MirrorContext): Promise<SyncResult> {
  const { key, owner: endpoints } = sync;
  const { metrics, events, maxPerSubset } = context;
  const slices = context.slices.settled(key);
  if (slices === undefined) {
    sync.decided("Wait, as the cache of EndpointSlices is out of date");
    return { requeueAfterMs: STALE_WAIT_MS };
  }
  const plan = decideMirror({ endpoints, slices, maxPerSubset });
  metrics.skipped.observe(plan.skipped);
  for (const { reason, message } of plan.events) events.event(endpoints, "Warning", reason, message);
  metrics.added.observe(plan.counts.added);
  metrics.updated.observe(plan.counts.updated);
  metrics.removed.observe(plan.counts.removed);
  metrics.slices.set(key, plan.fillings);
  for (const slice of plan.kept) context.slices.keep(slice);
  const { create, update, remove } = plan;
  if (create.length + update.length + remove.length > 0) {
    sync.decided("Write slices", { create: create.length, update: update.length, remove: remove.length });
  }
  const hasCreated = await writeMirror(sync, context, plan);
  return hasCreated ? { requeueAfterMs: LOOK_AGAIN_MS } : {};
}

async function timed<T>({ clock, metrics }: MirrorContext, work: () => Promise<T>): Promise<T> {
  const startMs = clock.monotonicMs();
  try {
    return await work();
  } finally {
    metrics.seconds.observe(Math.floor(clock.monotonicMs() - startMs) / 1_000);
  }
}
