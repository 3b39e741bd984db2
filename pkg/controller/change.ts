import type { PartialObject, Stored } from "../api/object.ts";
import type { EventHandler } from "../cache/informer/informer.ts";

/** What a cache tells of one object. `object` is its latest known state. */
export type Change<T extends PartialObject> =
  | {
      readonly type: "added";
      readonly object: Stored<T>;
      /** It was there already when the cache was filled. */
      readonly listed: boolean;
    }
  | {
      readonly type: "updated";
      readonly before: Stored<T>;
      readonly object: Stored<T>;
      /** The same version is told again, as a reminder. */
      readonly resync: boolean;
    }
  | { readonly type: "deleted"; readonly object: Stored<T> };

/** Whether nobody has just done something: such changes wait behind those that somebody has. */
export function isBackground(change: Change<PartialObject>): boolean {
  return change.type === "added" ? change.listed : change.type === "updated" && change.resync;
}

/**
 * A handler that tells the listener of each change. An object that was deleted and made anew under its name between two
 * looks comes from the cache as one update; here it is what it was, a deletion and an addition, so that nobody takes
 * the second object for the first.
 */
export function changeHandler<T extends PartialObject>(
  listener: (change: Change<T>) => void,
): EventHandler<T> {
  return {
    onAdd: (object, listed) => listener({ type: "added", object, listed }),
    onUpdate: (before, object) => {
      if (before.metadata.uid === object.metadata.uid) {
        const resync = before.metadata.resourceVersion === object.metadata.resourceVersion;
        listener({ type: "updated", before, object, resync });
      } else {
        listener({ type: "deleted", object: before });
        listener({ type: "added", object, listed: false });
      }
    },
    onDelete: (object) => listener({ type: "deleted", object }),
  };
}
