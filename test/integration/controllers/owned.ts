import type { ApiObject, OwnerReference } from "../../../pkg/api/object.ts";
import { apiVersionOf, type Resource } from "../../../pkg/api/resource.ts";

/** A reference to the owner, as its dependents have it. */
export function refTo(
  resource: Resource,
  owner: ApiObject,
  change: Partial<OwnerReference> = {},
): OwnerReference {
  const { name = "", uid = "" } = owner.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, ...change };
}

/** An object without contents of its own: good for ConfigMaps, Secrets and custom resources. */
export function owned(name: string, ...ownerReferences: readonly OwnerReference[]): ApiObject {
  return { metadata: { name, ownerReferences } };
}

export function namesOf(objects: readonly ApiObject[]): readonly string[] {
  return objects.map(({ metadata }) => metadata.name ?? "").toSorted();
}
