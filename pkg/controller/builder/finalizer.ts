import type { ApiObject, PartialObject, Stored, StoredObject } from "../../api/object.ts";
import type { Workshop } from "./workshop.ts";

/** The finalizer of a controller, under which objects wait for it before they go. */
export function finalizerOf(controller: string, group: string): string {
  return group === "" ? `${controller}/finalizer` : `${group}/${controller}`;
}

export function hasFinalizer({ metadata: { finalizers = [] } }: PartialObject, finalizer: string): boolean {
  return finalizers.includes(finalizer);
}

/**
 * Gives the object with the finalizer, or without it. Somebody who has changed the object meanwhile makes the write fail,
 * so that no other finalizer is lost.
 */
export async function writeFinalizers(
  shop: Workshop,
  object: StoredObject,
  finalizers: readonly string[],
  signal: AbortSignal,
): Promise<Stored<ApiObject>> {
  const { uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion, finalizers } };
  return shop.writes(shop.resource).patch({ owner: object, signal }, object, { type: "merge", body });
}
