import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import { attemptEach } from "../../pkg/controller/attempts.ts";
import type { OwnerSync, Sync } from "../../pkg/controller/sync.ts";
import type { MirrorContext } from "./context.ts";
import type { MirrorWrites } from "./plan.ts";

/** The first write that fails ends it: what is left is decided anew. Gives whether slices were created. */
export async function writeMirror(
  { owner: endpoints, signal }: OwnerSync<Endpoints>,
  { slices }: MirrorContext,
  { create, update, remove }: MirrorWrites,
): Promise<boolean> {
  // The slices of Endpoints that are going away are about to be collected: creating more would only prolong that.
  const created = endpoints.metadata.deletionTimestamp === undefined ? create : [];
  for (const slice of created) {
    try {
      await slices.create(slice, signal);
    } catch (error) {
      // In a namespace that is going away nothing can be created any more.
      if (isNamespaceTerminating(error)) return false;
      throw error;
    }
  }
  for (const slice of update) await slices.update(slice, signal);
  // One that is gone already is no failure.
  for (const slice of remove) await slices.remove(slice, signal, isNotFound);
  return created.length > 0;
}

/** Deletes all slices of Endpoints that are gone, or not to be mirrored any more. */
export async function deleteMirrored({ key, signal }: Sync, { slices }: MirrorContext): Promise<void> {
  await attemptEach(slices.cached(key), async (slice) => slices.drop(slice, signal), {
    signal,
    unless: isNotFound,
    failed: (count) => `${count} EndpointSlices were not deleted`,
  });
}
