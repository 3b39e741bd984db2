import type { PartialObject } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { ClassProtectionContext } from "./context.ts";

/** A claim or volume that uses a class no longer wakes it, if that waits to go. */
export function userRule<T extends PartialObject>(
  classesOf: (user: T) => readonly string[],
  { classes }: Pick<ClassProtectionContext, "classes">,
): WakeRule<T> {
  return (change, wake) => {
    if (change.type === "added") return;
    const now = change.type === "updated" ? classesOf(change.object) : [];
    for (const name of classesOf(change.type === "updated" ? change.before : change.object)) {
      const isLeaving = classes.lister.getByKey(name)?.metadata.deletionTimestamp !== undefined;
      if (isLeaving && !now.includes(name)) wake(name);
    }
  };
}
