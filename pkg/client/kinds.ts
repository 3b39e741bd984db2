import type { ApiObject, Stored } from "../api/object.ts";
import type { Resource, TypedResource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import { resourceOfKind } from "../api/resources.ts";
import type { ClientSet } from "./client-set.ts";
import type { ResourceClient } from "./resource-client.ts";
import { RestMapper } from "./rest-mapper.ts";

/**
 * A resource whose objects have this type: of one's own kinds.
 *
 *     const websites = defineResource<Website>({ group: "example.com", version: "v1", kind: "Website", plural: "websites" });
 */
export function defineResource<T extends ApiObject>(
  resource: Omit<Resource, "namespaced"> & { readonly namespaced?: boolean },
): TypedResource<T> {
  return { namespaced: true, ...resource };
}

/** No resource of that kind is known here, or to the server. */
export class UnknownKindError extends Error {
  readonly code = "UnknownKind";
  constructor(apiVersion: string, kind: string) {
    super(`there is no kind ${kind} in ${apiVersion}`);
    this.name = "UnknownKindError";
  }
}

/**
 * From objects as manifests hold them to the resources that they are of. One's own kinds that were registered and built-in
 * ones are known; the server is asked for all others.
 */
export class Kinds {
  readonly #own = new Map<string, Resource>();
  readonly #clients: Pick<ClientSet, "discovery" | "dynamic">;
  readonly #mapper: RestMapper;

  constructor(clients: Pick<ClientSet, "discovery" | "dynamic">) {
    this.#clients = clients;
    this.#mapper = new RestMapper(clients.discovery);
  }

  register(...resources: readonly Resource[]): this {
    for (const resource of resources) this.#own.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
    return this;
  }

  /** Rejects with an UnknownKindError; a kind that has come since the server was asked is found by asking again. */
  async resourceOf(apiVersion: string, kind: string, signal?: AbortSignal): Promise<Resource> {
    const known = this.#own.get(`${apiVersion} ${kind}`) ?? resourceOfKind(apiVersion, kind);
    if (known !== undefined) return known;
    const asked = await this.#mapper.resourceOf(apiVersion, kind, signal);
    if (asked !== undefined) return asked;
    this.#mapper.reset();
    const again = await this.#mapper.resourceOf(apiVersion, kind, signal);
    if (again === undefined) throw new UnknownKindError(apiVersion, kind);
    return again;
  }

  /** The client for objects like this one. */
  async clientOf(object: ApiObject, signal?: AbortSignal): Promise<ResourceClient> {
    const { apiVersion = "", kind = "" } = object;
    return this.#clients.dynamic(await this.resourceOf(apiVersion, kind, signal));
  }

  /** Server-side apply of a manifest, whatever its kind. */
  async apply(
    object: ApiObject,
    options: { readonly fieldManager: string; readonly force?: boolean },
    signal?: AbortSignal,
  ): Promise<Stored> {
    return (await this.clientOf(object, signal)).apply(object, options, signal);
  }
}
