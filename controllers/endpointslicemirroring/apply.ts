import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { MirrorContext } from "./context.ts";
import type { MirrorWrites } from "./plan.ts";

/** The first write that fails ends it: what is left is decided anew. Gives whether slices were created. */
export async function writeMirror(
  context: MirrorContext,
  endpoints: Endpoints,
  { create, update, remove }: MirrorWrites,
  signal: AbortSignal,
): Promise<boolean> {
  const { client, tracker, metrics } = context;
  // The slices of Endpoints that are going away are about to be collected: creating more would only prolong that.
  const created = endpoints.metadata.deletionTimestamp === undefined ? create : [];
  for (const slice of created) {
    try {
      tracker.wrote(await client.create(slice, {}, signal));
    } catch (error) {
      // In a namespace that is going away nothing can be created any more.
      if (isNamespaceTerminating(error)) return false;
      throw error;
    }
    metrics.changes.inc({ operation: "create" });
  }
  for (const slice of update) {
    tracker.wrote(await client.update(slice, {}, signal));
    metrics.changes.inc({ operation: "update" });
  }
  for (const slice of remove) {
    await deleteSlice(context, slice, signal);
    tracker.expectDeletion(slice);
    metrics.changes.inc({ operation: "delete" });
  }
  return created.length > 0;
}

/** One that is gone already is no failure. */
export async function deleteSlice(
  { client }: MirrorContext,
  { metadata: { namespace = "", name = "", uid = "" } }: EndpointSlice,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
