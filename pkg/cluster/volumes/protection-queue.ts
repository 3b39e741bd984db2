import { type ApiObject, keyOf } from "../../api/object.ts";
import type { TypedResource } from "../../api/resource.ts";
import { isConflict, isNotFound } from "../../client/errors.ts";
import type { KeyQueue } from "../../controller/key-queue.ts";
import type { Kit } from "../../controller/kit.ts";
import type { OwnerSync, SyncResult } from "../../controller/sync.ts";

export interface Protection<T extends ApiObject> {
  readonly name: string;
  readonly resource: TypedResource<T>;
  readonly finalizer: string;
  readonly isUsed: (object: T, signal: AbortSignal) => Promise<boolean>;
}

/** Takes the finalizer off what is being deleted and not used, and gives it to what came without it. */
export function protectionQueue<T extends ApiObject>(kit: Kit, protection: Protection<T>): KeyQueue {
  const { name, resource, finalizer, isUsed } = protection;
  const objects = kit.reads(resource);
  const client = kit.env.client.clientFor<T>(resource);

  const syncObject = async (sync: OwnerSync<T>): Promise<SyncResult> => {
    const { owner, signal } = sync;
    const { deletionTimestamp, finalizers = [] } = owner.metadata;
    const isProtected = finalizers.includes(finalizer);
    const isLeaving = deletionTimestamp !== undefined;
    if (isLeaving !== isProtected) return {};
    if (isLeaving && (await isUsed(owner, signal))) return {};
    sync.decided(isLeaving ? "It is being deleted and not used" : "It is not protected");
    const next = isLeaving ? finalizers.filter((one) => one !== finalizer) : [...finalizers, finalizer];
    try {
      await client.update({ ...owner, metadata: { ...owner.metadata, finalizers: next } }, {}, signal);
      return {};
    } catch (error) {
      if (isNotFound(error)) return {};
      // Somebody was quicker, which the cache is about to hear of.
      if (isConflict(error)) return { backOff: true };
      throw error;
    }
  };

  return kit.ownerQueue<T>({
    name,
    workers: 4,
    owners: objects,
    sync: syncObject,
    wakes: ({ object }, wake) => {
      const { deletionTimestamp, finalizers = [] } = object.metadata;
      if ((deletionTimestamp !== undefined) === finalizers.includes(finalizer)) wake(keyOf(object));
    },
  });
}
