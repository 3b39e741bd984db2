import { apiVersionOf } from "../../pkg/api/resource.ts";
import type { FieldShape } from "./field-shapes.ts";
import type { Asked } from "./stage.ts";

const APPLY = "application/apply-patch+yaml";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";

export interface NamedRequest {
  readonly name: string;
  readonly asked: Asked;
}

/** Every request that an object of this shape can be in, one after the other; each begins without it. */
export function requestsOfShape(
  { name: field, resource, object }: FieldShape,
  bytes: number,
): NamedRequest[] {
  const whole = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object(bytes) };
  const { managedFields: _, ...metadata } = whole.metadata;
  const { group, version, plural, namespaced } = resource;
  const root = group === "" ? "/api/v1" : `/apis/${group}/${version}`;
  const collection = `${root}${namespaced ? "/namespaces/default" : ""}/${plural}`;
  const one = `${collection}/${String(metadata["name"])}`;
  const changed = JSON.stringify({ ...whole, metadata: { ...metadata, labels: { changed: "yes" } } });
  const applied = JSON.stringify({ ...whole, metadata });
  const other = JSON.stringify({
    apiVersion: whole.apiVersion,
    kind: whole.kind,
    metadata: { name: metadata["name"], labels: { other: "yes" } },
  });
  const patch = (type: string, body: string, query = ""): Asked => ({
    method: "PATCH",
    path: `${one}${query}`,
    type,
    body,
  });
  const asked: readonly (readonly [string, Asked])[] = [
    ["create", { method: "POST", path: collection, body: JSON.stringify(whole) }],
    ["get", { method: "GET", path: one }],
    ["list", { method: "GET", path: collection }],
    ["table", { method: "GET", path: collection, accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }],
    ["update", { method: "PUT", path: one, body: changed }],
    ["merge patch", patch(MERGE, '{"metadata":{"labels":{"a":"b"}}}')],
    ["strategic merge patch", patch(STRATEGIC, applied)],
    ["apply", patch(APPLY, applied, "?fieldManager=a&force=true")],
    ["apply again", patch(APPLY, applied, "?fieldManager=a")],
    ["apply as another", patch(APPLY, other, "?fieldManager=b")],
    ["patch the finalizers", patch(MERGE, '{"metadata":{"finalizers":null}}')],
    ["delete", { method: "DELETE", path: `${one}?gracePeriodSeconds=0` }],
  ];
  return asked.map(([what, request]) => ({ name: `${what}: ${field}`, asked: request }));
}
