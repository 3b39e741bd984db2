import type { ApiObject } from "../../pkg/api/object.ts";
import { CLAIM_FIELDS, DEVICE_CLAIM_FIELDS, POD_FIELDS, SERVICE_FIELDS } from "../../pkg/api/quota/fields.ts";
import { apiVersionOf, groupResource, type Resource, type TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";

/** Resources whose objects use something else than themselves, and what is read of them; of others the number counts. */
export const measured: readonly {
  readonly resource: TypedResource<ApiObject>;
  readonly fields: readonly string[];
}[] = [
  { resource: resources.pods, fields: POD_FIELDS },
  { resource: resources.services, fields: SERVICE_FIELDS },
  { resource: resources.persistentVolumeClaims, fields: CLAIM_FIELDS },
  { resource: resources.resourceClaims, fields: DEVICE_CLAIM_FIELDS },
];

/** What is read of the objects in this version of theirs; undefined where that is metadata alone. */
export function fieldsOf(resource: Resource): readonly string[] | undefined {
  return measured.find(
    (each) =>
      groupResource(each.resource) === groupResource(resource) &&
      apiVersionOf(each.resource) === apiVersionOf(resource),
  )?.fields;
}

const names = new Set(measured.map(({ resource }) => groupResource(resource)));

export function isMeasured(resource: Resource): boolean {
  return names.has(groupResource(resource));
}
