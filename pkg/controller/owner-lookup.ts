import type { Labels } from "../api/labels.ts";
import type { PartialObject, OwnerReference, Stored } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { Lister } from "../cache/store/lister.ts";

/**
 * The object that this reference names, if it is of the kind and still the same: another object of that name, made after
 * the owner was deleted, is not the owner.
 */
export function referencedOwner<T extends PartialObject>(
  owners: Lister<T>,
  kind: string,
  namespace: string | undefined,
  reference: OwnerReference | undefined,
): Stored<T> | undefined {
  if (reference?.kind !== kind) return undefined;
  const owner = owners.get(namespace, reference.name);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

/** The object of this kind that manages `object`. */
export function managerOf<T extends PartialObject>(
  owners: Lister<T>,
  kind: string,
  object: PartialObject,
): Stored<T> | undefined {
  return referencedOwner(owners, kind, object.metadata.namespace, controllerOf(object));
}

/** Whether another object manages it than before. */
export function managerChanged(before: PartialObject, after: PartialObject): boolean {
  return controllerOf(before)?.uid !== controllerOf(after)?.uid;
}

const NONE: Labels = Object.freeze({});

export function labelsChanged(before: PartialObject, after: PartialObject): boolean {
  const { labels: old = NONE } = before.metadata;
  const { labels: now = NONE } = after.metadata;
  // Caches share equal labels.
  if (old === now) return false;
  for (const key in now) if (old[key] !== now[key]) return true;
  for (const key in old) if (now[key] === undefined) return true;
  return false;
}
