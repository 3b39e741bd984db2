import { messageOf } from "../../pkg/api/errors.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { SliceContext } from "./context.ts";
import type { SliceWrites } from "./placement.ts";
import { withTriggerTime } from "./slice-object.ts";
import { trafficDistributionOf, wantsTopologyHints } from "./traffic-distribution.ts";

/** A write that the server refused. People read the message in an event. */
export class SliceWriteError extends Error {
  readonly code = "SliceWrite";
}

/** The first write that fails ends it: what is left is decided anew. Gives whether slices were created. */
export async function writeSlices(
  context: SliceContext,
  service: Service,
  writes: SliceWrites,
  triggerTime: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  // The slices of a Service that is going away are about to be collected: creating more would only prolong that.
  const create = service.metadata.deletionTimestamp === undefined ? writes.create : [];
  for (const slice of create) {
    const created = await createSlice(context, service, withTriggerTime(slice, triggerTime), signal);
    if (!created) return false;
  }
  for (const slice of writes.update) {
    await updateSlice(context, service, withTriggerTime(slice, triggerTime), signal);
  }
  for (const slice of writes.remove) {
    await deleteSlice(context, service, slice, "failed to delete", signal);
  }
  const changed = writes.create.length + writes.update.length + writes.remove.length;
  context.metrics.changedPerSync.observe(changed, {
    topology: wantsTopologyHints(service) ? "Auto" : "Disabled",
    traffic_distribution: trafficDistributionOf(service) ?? "",
  });
  return create.length > 0;
}

/** False in a namespace that is going away, where nothing can be created any more. */
async function createSlice(
  { client, tracker, metrics }: SliceContext,
  service: Service,
  slice: EndpointSlice,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    tracker.wrote(await client.create(slice, {}, signal));
  } catch (error) {
    signal.throwIfAborted();
    if (isNamespaceTerminating(error)) return false;
    throw refused(`failed to create EndpointSlice for Service ${keyOf(service)}`, error);
  }
  metrics.changes.inc({ operation: "create" });
  return true;
}

async function updateSlice(
  { client, tracker, metrics }: SliceContext,
  service: Service,
  slice: EndpointSlice,
  signal: AbortSignal,
): Promise<void> {
  try {
    tracker.wrote(await client.update(slice, {}, signal));
  } catch (error) {
    signal.throwIfAborted();
    const name = slice.metadata.name ?? "";
    throw refused(`failed to update ${name} EndpointSlice for Service ${keyOf(service)}`, error);
  }
  metrics.changes.inc({ operation: "update" });
}

export async function deleteSlice(
  { client, tracker, metrics }: SliceContext,
  service: Service,
  slice: EndpointSlice,
  failure: string,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = slice.metadata;
  try {
    await client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw refused(`${failure} ${name} EndpointSlice for Service ${keyOf(service)}`, error);
  }
  tracker.expectDeletion(slice);
  metrics.changes.inc({ operation: "delete" });
}

function refused(what: string, cause: unknown): SliceWriteError {
  return new SliceWriteError(`${what}: ${messageOf(cause)}`, { cause });
}
