import type { ApiObject } from "../api/object.ts";
import type { Resource, TypedResource } from "../api/resource.ts";
import { Discovery, type DiscoveryStore } from "./discovery.ts";
import type { ResourceClient } from "./resource-client.ts";
import { RestResourceClient } from "./rest-resource-client.ts";
import type { RestClient } from "./rest.ts";
import { RestWriteOnlyClient, type WriteOnlyClient } from "./write-only-client.ts";

/** All clients of one identity and one purpose: they share a rate limiter. */
export interface ClientSet {
  readonly rest: RestClient;
  readonly discovery: Discovery;
  clientFor<T extends ApiObject>(resource: TypedResource<T>): ResourceClient<T>;
  /** For resources that are known only at run time (from discovery). */
  dynamic(resource: Resource): ResourceClient;
  /** Objects and lists hold metadata only (PartialObjectMetadata). */
  metadata(resource: Resource): ResourceClient;
  /** For writes whose answers tell nothing new. */
  writeOnly<T extends ApiObject>(resource: TypedResource<T>): WriteOnlyClient<T>;
}

export function clientSet(rest: RestClient, kept?: DiscoveryStore): ClientSet {
  return {
    rest,
    discovery: new Discovery(rest, kept),
    clientFor: <T extends ApiObject>(resource: TypedResource<T>) => new RestResourceClient<T>(rest, resource),
    dynamic: (resource) => new RestResourceClient<ApiObject>(rest, resource),
    metadata: (resource) => new RestResourceClient<ApiObject>(rest, resource, "metadata"),
    writeOnly: <T extends ApiObject>(resource: TypedResource<T>) =>
      new RestWriteOnlyClient<T>(rest, resource),
  };
}
