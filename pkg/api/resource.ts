/** One version of one resource type, as discovery names it. */
export interface Resource {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** With what can be done with its objects, as discovery tells. */
export interface ServedResource extends Resource {
  readonly verbs: readonly string[];
}

/** A Resource that remembers the TypeScript type of its objects; the brand has no value at run time. */
export interface TypedResource<T> extends Resource {
  readonly __object?: T;
}

/** "v1", or "apps/v1". */
export function apiVersionOf(resource: Pick<Resource, "group" | "version">): string {
  return resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
}

/** "pods", or "deployments.apps": how users and messages name a resource. */
export function groupResource(resource: Pick<Resource, "group" | "plural">): string {
  return resource.group === "" ? resource.plural : `${resource.plural}.${resource.group}`;
}

/** The URL path of the resource, of one object in it, or of an object's subresource. */
export function resourcePath(
  resource: Resource,
  namespace?: string,
  name?: string,
  subresource?: string,
): string {
  let path =
    resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (resource.namespaced && namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${resource.plural}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

export interface Subresource {
  readonly name: string;
  /** The kind of its own body, when it is not the resource's: a Scale, an Eviction. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** A resource of the API server itself, with the facts that discovery tells of it. */
export interface BuiltInResource<T = unknown> extends TypedResource<T> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
}
