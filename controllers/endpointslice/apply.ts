import { messageOf } from "../../pkg/api/errors.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { SliceContext } from "./context.ts";
import type { SliceWrites } from "./placement.ts";
import { withTriggerTime } from "./slice-object.ts";
import { trafficDistributionOf, wantsTopologyHints } from "./traffic-distribution.ts";
import type { CachedService } from "./fields.ts";

type Sync = OwnerSync<CachedService>;

/** A write that the server refused. People read the message in an event. */
export class SliceWriteError extends Error {
  readonly code = "SliceWrite";
}

/** The first write that fails ends it: what is left is decided anew. Gives whether slices were created. */
export async function writeSlices(
  sync: Sync,
  context: SliceContext,
  writes: SliceWrites,
  triggerTime: string | undefined,
): Promise<boolean> {
  const { owner: service } = sync;
  // The slices of a Service that is going away are about to be collected: creating more would only prolong that.
  const create = service.metadata.deletionTimestamp === undefined ? writes.create : [];
  for (const slice of create) {
    const created = await createSlice(sync, context, withTriggerTime(slice, triggerTime));
    if (!created) return false;
  }
  for (const slice of writes.update) await updateSlice(sync, context, withTriggerTime(slice, triggerTime));
  for (const slice of writes.remove) await deleteSlice(sync, context, slice, "failed to delete");
  const changed = writes.create.length + writes.update.length + writes.remove.length;
  context.metrics.changedPerSync.observe(changed, {
    topology: wantsTopologyHints(service) ? "Auto" : "Disabled",
    traffic_distribution: trafficDistributionOf(service) ?? "",
  });
  return create.length > 0;
}

/** False in a namespace that is going away, where nothing can be created any more. */
async function createSlice(
  { key, signal }: Sync,
  { slices }: SliceContext,
  slice: EndpointSlice,
): Promise<boolean> {
  try {
    await slices.create(slice, signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isNamespaceTerminating(error)) return false;
    throw refused(`failed to create EndpointSlice for Service ${key}`, error);
  }
}

async function updateSlice(
  { key, signal }: Sync,
  { slices }: SliceContext,
  slice: EndpointSlice,
): Promise<void> {
  try {
    await slices.update(slice, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw refused(`failed to update ${slice.metadata.name ?? ""} EndpointSlice for Service ${key}`, error);
  }
}

export async function deleteSlice(
  { key, signal }: Sync,
  { slices }: SliceContext,
  slice: EndpointSlice,
  failure: string,
): Promise<void> {
  try {
    await slices.remove(slice, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw refused(`${failure} ${slice.metadata.name ?? ""} EndpointSlice for Service ${key}`, error);
  }
}

function refused(what: string, cause: unknown): SliceWriteError {
  return new SliceWriteError(`${what}: ${messageOf(cause)}`, { cause });
}
