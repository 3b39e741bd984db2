import type { ApiObject } from "../../api/object.ts";
import { type FieldSelector, requiredFieldValue, selectorFromFields } from "../../api/fields.ts";
import type { LabelSelector } from "../../api/labels.ts";
import type { ListQuery } from "./query-options.ts";
import type { RequestInfo } from "./request-info.ts";
import { readAsServed, type ServedResource, storageKey } from "./served-resource.ts";
import { badRequest } from "./status-error.ts";

/** Which objects of a resource a list, watch or deletecollection is about. */
export interface Selection {
  /** What their keys begin with. */
  readonly prefix: string;
  /** It is about one object, whether that is there or not. */
  readonly single: boolean;
  /** True when the prefix says it all. */
  readonly everything: boolean;
  readonly matches: (object: ApiObject) => boolean;
}

export function selectionOf(
  served: ServedResource,
  info: RequestInfo,
  { labels, fields: given }: Pick<ListQuery, "labels" | "fields">,
): Selection {
  checkFields(served, given);
  const fields = withName(given, info.name);
  const { namespaced } = served.resource;
  const namespacePrefix = namespaced && info.namespace !== "" ? `${info.namespace}/` : "";
  const name = requiredFieldValue(fields, "metadata.name");
  // A name in a namespace (or of a cluster-scoped kind) needs no scan beyond its own key.
  const exact = name !== undefined && (!namespaced || info.namespace !== "");
  return {
    prefix: exact ? storageKey(namespaced, info.namespace, name) : namespacePrefix,
    single: exact,
    everything: labels.empty && fields.empty,
    matches: (object) => matches(served, labels, fields, object),
  };
}

function matches(
  served: ServedResource,
  labels: LabelSelector,
  fields: FieldSelector,
  object: ApiObject,
): boolean {
  if (!labels.empty && !labels.matches(object.metadata.labels)) return false;
  return fields.empty || fields.matches(selectableFields(served, object));
}

function selectableFields(served: ServedResource, object: ApiObject): Readonly<Record<string, string>> {
  const { name = "", namespace = "" } = object.metadata;
  const own = { "metadata.name": name, "metadata.namespace": namespace };
  const extra = served.rules.selectableFields?.(readAsServed(served, object));
  return extra === undefined ? own : { ...own, ...extra };
}

const emptyObject: ApiObject = Object.freeze({ metadata: Object.freeze({}) });

function checkFields(served: ServedResource, selector: FieldSelector): void {
  if (selector.empty) return;
  const own = served.rules.selectableFields?.(emptyObject);
  // upstream: kinds that say themselves what they are selected by do so in the end, and have no namespace if they are in none.
  const isInNone = (own !== undefined || served.custom) && !served.resource.namespaced;
  const known = { "metadata.name": "", ...(isInNone ? {} : { "metadata.namespace": "" }), ...own };
  for (const { field } of selector.requirements) {
    if (!Object.hasOwn(known, field)) throw badRequest(unknownField(served, field));
  }
}

/** Kinds that offer fields of their own word it differently. */
function unknownField({ bucket, rules, custom }: ServedResource, field: string): string {
  if (bucket === "batch/jobs") return `field label ${JSON.stringify(field)} not supported for Job`;
  if (bucket === "resource.k8s.io/resourceslices")
    return `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`;
  return custom || rules.selectableFields !== undefined
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** A name in the path counts as the field selector metadata.name. */
function withName(selector: FieldSelector, name: string): FieldSelector {
  if (name === "") return selector;
  if (selector.empty) return selectorFromFields({ "metadata.name": name });
  if (requiredFieldValue(selector, "metadata.name") !== name)
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  return selector;
}
