import type { OwnerReference, PartialObject, StoredObject } from "./object.ts";
import { type Resource, apiVersionOf } from "./resource.ts";

/** The one owner that manages the object. */
export function controllerOf(object: PartialObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: PartialObject, owner: StoredObject): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

/** The reference by which `owner` controls what it creates. */
export function newControllerRef(
  owner: StoredObject,
  resource: Pick<Resource, "group" | "version" | "kind">,
): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** "apps/v1" → group and version; the core group is "". */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.indexOf("/");
  if (slash < 0) return { group: "", version: apiVersion };
  if (apiVersion.indexOf("/", slash + 1) >= 0) {
    throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
