import type { ApiObject, ObjectRef } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf, groupResource, resourcePath } from "../api/resource.ts";
import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  Patch,
  WatchOptions,
  WholeSubresource,
  WriteOptions,
} from "./resource-client.ts";
import type { RestRequest } from "./rest.ts";

const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;
/** JSON is YAML; the API server knows no JSON name for the type. */
const APPLY_TYPE = "application/apply-patch+yaml";

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
  readonly subresource?: WholeSubresource;
}

/** The requests behind the verbs, as data. */
export function getRequest(resource: Resource, ref: ObjectRef, options: GetOptions): RestRequest {
  const query = queryOf({ resourceVersion: options.resourceVersion });
  return { method: "GET", ...objectPath(resource, ref), ...query };
}

export function listRequest(resource: Resource, options: ListOptions): RestRequest {
  const query = queryOf({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
    limit: options.limit,
    continue: options.continue,
  });
  return { method: "GET", ...collectionPath(resource, options.namespace), ...query };
}

export function watchRequest(resource: Resource, options: WatchOptions): RestRequest {
  const query = queryOf({
    watch: true,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    // The API server demands this match whenever sendInitialEvents is given, and forbids it otherwise.
    resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : "NotOlderThan",
    timeoutSeconds: options.timeoutSeconds,
    allowWatchBookmarks: options.allowWatchBookmarks,
    sendInitialEvents: options.sendInitialEvents,
  });
  return { method: "GET", ...collectionPath(resource, options.namespace), ...query };
}

export function createRequest(resource: Resource, object: ApiObject, options: WriteOptions): RestRequest {
  const { namespace } = object.metadata;
  if (resource.namespaced) checkSegment(resource, "namespace", namespace ?? "");
  const body = bodyOf(resource, object, options);
  return { method: "POST", ...collectionPath(resource, namespace), ...writeQuery(options), body };
}

export function updateRequest(
  resource: Resource,
  object: ApiObject,
  options: WriteOptions,
  subresource?: string,
): RestRequest {
  const path = objectPath(resource, refOf(object), subresource);
  return { method: "PUT", ...path, ...writeQuery(options), body: bodyOf(resource, object, options) };
}

export function patchRequest(
  resource: Resource,
  ref: ObjectRef,
  patch: Patch,
  options: WriteOptions & { readonly subresource?: string },
): RestRequest {
  return {
    method: "PATCH",
    ...objectPath(resource, ref, options.subresource),
    ...writeQuery(options),
    body: patch.body,
    contentType: PATCH_TYPES[patch.type],
  };
}

export function applyRequest(resource: Resource, object: ApiObject, options: ApplyOptions): RestRequest {
  return {
    method: "PATCH",
    ...objectPath(resource, refOf(object), options.subresource),
    ...writeQuery(options, options.force),
    body: withKind(resource, object),
    contentType: APPLY_TYPE,
  };
}

export function deleteRequest(resource: Resource, ref: ObjectRef, options: DeleteOptions): RestRequest {
  return { method: "DELETE", ...objectPath(resource, ref), ...deleteBody(options) };
}

export function deleteCollectionRequest(
  resource: Resource,
  list: ListOptions,
  options: DeleteOptions,
): RestRequest {
  return { ...listRequest(resource, list), method: "DELETE", ...deleteBody(options) };
}

export function subresourceRequest(
  method: "GET" | "POST" | "PUT",
  resource: Resource,
  ref: ObjectRef & { readonly subresource: string },
  body?: unknown,
): RestRequest {
  const request = { method, ...objectPath(resource, ref, ref.subresource) };
  return body === undefined ? request : { ...request, body };
}

interface Where {
  readonly path: string;
  readonly namespace?: string;
}

function collectionPath(resource: Resource, namespace: string | undefined): Where {
  if (namespace) checkSegment(resource, "namespace", namespace);
  return { path: resourcePath(resource, namespace), ...(namespace ? { namespace } : {}) };
}

function objectPath(resource: Resource, ref: ObjectRef, subresource?: string): Where {
  checkSegment(resource, "name", ref.name);
  if (resource.namespaced) checkSegment(resource, "namespace", ref.namespace ?? "");
  const path = resourcePath(resource, ref.namespace, ref.name, subresource);
  return { path, ...(ref.namespace ? { namespace: ref.namespace } : {}) };
}

/** An empty name would turn a GET into a LIST, and a DELETE into a deletion of the whole collection. */
function checkSegment(resource: Resource, what: string, value: string): void {
  if (value !== "" && value !== "." && value !== "..") return;
  throw new TypeError(`${groupResource(resource)}: ${JSON.stringify(value)} cannot be a ${what}`);
}

function refOf(object: ApiObject): ObjectRef {
  const { namespace, name = "" } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/** The items of a LIST carry no kind, yet custom resources and patches need one. */
function bodyOf(resource: Resource, object: ApiObject, { encode }: WriteOptions): unknown {
  const whole = withKind(resource, object);
  return encode === undefined ? whole : encode(whole);
}

function withKind(resource: Resource, object: ApiObject): ApiObject {
  if (object.apiVersion && object.kind) return object;
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function writeQuery(options: WriteOptions, force?: boolean): { query?: URLSearchParams } {
  return queryOf({
    dryRun: options.dryRun ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force,
  });
}

function deleteBody(options: DeleteOptions): { body?: unknown } {
  const { dryRun, ...rest } = options;
  if (!dryRun && Object.keys(rest).length === 0) return {};
  return {
    body: { kind: "DeleteOptions", apiVersion: "v1", ...rest, ...(dryRun ? { dryRun: ["All"] } : {}) },
  };
}

function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): {
  query?: URLSearchParams;
} {
  let query: URLSearchParams | undefined;
  for (const name in parameters) {
    const value = parameters[name];
    if (value === undefined || value === "") continue;
    query ??= new URLSearchParams();
    query.set(name, String(value));
  }
  return query === undefined ? {} : { query };
}
