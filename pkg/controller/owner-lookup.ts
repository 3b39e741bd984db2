import type { ApiObject, OwnerReference, Stored } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { Lister } from "../cache/store/lister.ts";

/**
 * The object that this reference names, if it is of the kind and still the same: another object of that name, made after
 * the owner was deleted, is not the owner.
 */
export function referencedOwner<T extends ApiObject>(
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
export function managerOf<T extends ApiObject>(
  owners: Lister<T>,
  kind: string,
  object: ApiObject,
): Stored<T> | undefined {
  return referencedOwner(owners, kind, object.metadata.namespace, controllerOf(object));
}

/** Whether another object manages it than before. */
export function managerChanged(before: ApiObject, after: ApiObject): boolean {
  return controllerOf(before)?.uid !== controllerOf(after)?.uid;
}

export function labelsChanged(before: ApiObject, after: ApiObject): boolean {
  const [old = {}, now = {}] = [before.metadata.labels, after.metadata.labels];
  const keys = Object.keys(now);
  return keys.length !== Object.keys(old).length || keys.some((key) => old[key] !== now[key]);
}
