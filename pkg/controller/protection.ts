import { type ApiObject, keyOf, type PartialObject, type Stored } from "../api/object.ts";
import { isConflict, isNotFound } from "../client/errors.ts";
import type { WakeRule } from "./cache.ts";
import type { RecordedWrites } from "./recorded-writes.ts";
import type { OwnerSync, SyncResult } from "./sync.ts";

/** Keeps objects that are being deleted for as long as they are used. */
export interface Protection<T extends ApiObject> {
  readonly finalizer: string;
  readonly writes: Pick<RecordedWrites<T>, "update">;
  /** Asked of what is being deleted: when to look again at one that is used; undefined: it is not used. */
  readonly stays: (sync: OwnerSync<T>) => SyncResult | undefined | Promise<SyncResult | undefined>;
}

/**
 * What is to become of the finalizer: one that is being deleted loses it, unless it is used, and all others have it.
 * Who creates objects does not give it: admission does, and what is older than that gets it here.
 */
export function finalizerChange(
  { metadata: { deletionTimestamp, finalizers = [] } }: PartialObject,
  finalizer: string,
): "add" | "remove" | undefined {
  const isLeaving = deletionTimestamp !== undefined;
  if (isLeaving !== finalizers.includes(finalizer)) return undefined;
  return isLeaving ? "remove" : "add";
}

/** Objects wake themselves whose finalizer is to come, or to go. */
export function unprotected<T extends PartialObject>(finalizer: string): WakeRule<T> {
  return ({ type, object }, wake) => {
    if (type !== "deleted" && finalizerChange(object, finalizer) !== undefined) wake(keyOf(object));
  };
}

export async function protect<T extends ApiObject>(
  sync: OwnerSync<T>,
  { finalizer, writes, stays }: Protection<T>,
): Promise<SyncResult> {
  const { owner } = sync;
  const change = finalizerChange(owner, finalizer);
  if (change === undefined) return {};
  const next = change === "remove" ? await stays(sync) : undefined;
  if (next !== undefined) {
    sync.decided("It is being deleted, and stays because it is used");
    return next;
  }
  sync.decided(change === "add" ? "It is not protected" : "It is being deleted, and not used");
  return againWhenOutrun(async () => {
    await writes.update(sync, withFinalizer(owner, change, finalizer));
    return {};
  });
}

/** Somebody has written the object before, or deleted it: the cache is about to hear of that. */
export async function againWhenOutrun(write: () => Promise<SyncResult>): Promise<SyncResult> {
  try {
    return await write();
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return { backOff: true };
    throw error;
  }
}

function withFinalizer<T extends ApiObject>(
  object: Stored<T>,
  change: "add" | "remove",
  finalizer: string,
): Stored<T> {
  const others = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
  const finalizers = change === "add" ? [...others, finalizer] : others;
  return { ...object, metadata: { ...object.metadata, finalizers } };
}
