import type { ApiObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { Resource } from "../api/resource.ts";
import type { Lister } from "../cache/lister.ts";

/**
 * An index of objects by the object that manages them, and by namespace for those that nobody does. Controllers that
 * share a cache ask for it under one name, so that it is kept once.
 */
export function controllerIndex(object: ApiObject): readonly string[] {
  const controller = controllerOf(object);
  return [indexValue(object.metadata.namespace ?? "", controller?.kind, controller?.name, controller?.uid)];
}

/** The name under which all that want this index of a resource ask for it. */
export function controllerIndexOf({ plural }: Pick<Resource, "plural">): string {
  return `controllerOf ${plural}`;
}

/** What the owner manages, from an index of controllerIndex. */
export function ownedBy<T extends ApiObject>(
  objects: Lister<T>,
  index: string,
  owner: ApiObject,
  kind: string,
): readonly T[] {
  const { namespace = "", name, uid } = owner.metadata;
  return objects.byIndex(index, indexValue(namespace, kind, name, uid));
}

/** What nobody manages in the owner's namespace. */
export function orphansBeside<T extends ApiObject>(
  objects: Lister<T>,
  index: string,
  owner: ApiObject,
): readonly T[] {
  return objects.byIndex(index, indexValue(owner.metadata.namespace ?? "", undefined, undefined, undefined));
}

function indexValue(
  namespace: string,
  kind: string | undefined,
  name: string | undefined,
  uid: string | undefined,
): string {
  return uid === undefined ? `${namespace}/` : `${namespace}/${kind}/${name}/${uid}`;
}
