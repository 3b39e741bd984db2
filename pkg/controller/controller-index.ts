import type { PartialObject, Stored, StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { Lister } from "../cache/store/lister.ts";

/** The name of the index in each cache. All that share a cache ask for it under this name, so that it is kept once. */
export const CONTROLLER_INDEX = "controller";

/** Objects by the object that controls them, and by namespace those that nobody controls. */
export function controllerIndex(object: PartialObject): readonly string[] {
  const { namespace = "" } = object.metadata;
  const controller = controllerOf(object);
  if (controller === undefined) return [unowned(namespace)];
  return [owned(namespace, controller.kind, controller.name, controller.uid)];
}

/** What the owner controls, from a cache with the index. */
export function ownedBy<T extends PartialObject>(
  objects: Lister<T>,
  owner: StoredObject,
  kind: string,
): readonly Stored<T>[] {
  const { namespace = "", name, uid } = owner.metadata;
  return objects.byIndex(CONTROLLER_INDEX, owned(namespace, kind, name, uid));
}

/** What the owner controls, then what nobody controls in its namespace and it may adopt. */
export function ownedByOrFree<T extends PartialObject>(
  objects: Lister<T>,
  owner: StoredObject,
  kind: string,
): readonly Stored<T>[] {
  const free = objects.byIndex(CONTROLLER_INDEX, unowned(owner.metadata.namespace ?? ""));
  return [...ownedBy(objects, owner, kind), ...free];
}

function unowned(namespace: string): string {
  return `${namespace}/`;
}

function owned(namespace: string, kind: string, name: string, uid: string): string {
  return `${namespace}/${kind}/${name}/${uid}`;
}
