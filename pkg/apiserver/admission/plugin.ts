import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { AdmissionAttributes } from "../server/admission.ts";
import type { Draft } from "../kinds/kind.ts";

/** One concern of admission. What it looks up is in memory, so it answers at once. */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(attributes: AdmissionAttributes, draft: Draft | undefined): void;
  validate?(attributes: AdmissionAttributes, object: ApiObject | undefined): void;
}

export function isResource(attributes: AdmissionAttributes, resource: Resource): boolean {
  return attributes.resource.group === resource.group && attributes.resource.plural === resource.plural;
}

/** A create of the resource itself, with the object to be. */
export function createdDraft(
  attributes: AdmissionAttributes,
  resource: Resource,
  draft: Draft | undefined,
): Draft | undefined {
  const isCreate = attributes.operation === "CREATE" && attributes.subresource === "";
  return isCreate && isResource(attributes, resource) ? draft : undefined;
}
