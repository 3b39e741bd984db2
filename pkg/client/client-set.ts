import type { ApiObject } from "../api/object.ts";
import type { Resource, TypedResource } from "../api/resource.ts";
import type { ResourceClient } from "./resource-client.ts";
import { RestResourceClient } from "./rest-resource-client.ts";
import type { RestClient } from "./rest.ts";

/** All clients of one identity: they share its rate limiter and its connections. */
export interface ClientSet {
  readonly rest: RestClient;
  clientFor<T extends ApiObject>(resource: TypedResource<T>): ResourceClient<T>;
  /** For resources whose type is not known at compile time. */
  dynamic(resource: Resource): ResourceClient;
  /** Objects and lists hold metadata only (PartialObjectMetadata). */
  metadata(resource: Resource): ResourceClient;
}

export function clientSet(rest: RestClient): ClientSet {
  return {
    rest,
    clientFor: <T extends ApiObject>(resource: TypedResource<T>) => new RestResourceClient<T>(rest, resource),
    dynamic: (resource) => new RestResourceClient<ApiObject>(rest, resource),
    metadata: (resource) => new RestResourceClient<ApiObject>(rest, resource, "metadata"),
  };
}
