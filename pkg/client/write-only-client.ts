import type { ApiObject, ObjectRef } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { Patch, WriteOptions } from "./resource-client.ts";
import { createRequest, patchRequest } from "./resource-requests.ts";
import type { RestClient, RestRequest } from "./rest.ts";

/** Writes of which nobody wants to know more than that they succeeded. Failures are those of a ResourceClient. */
export interface WriteOnlyClient<T extends ApiObject> {
  create(object: T, options?: WriteOptions, signal?: AbortSignal): Promise<unknown>;
  patch(ref: ObjectRef, patch: Patch, options?: WriteOptions, signal?: AbortSignal): Promise<unknown>;
}

/** Answers are dropped unread: no text is made of them, and no object. */
export class RestWriteOnlyClient<T extends ApiObject> implements WriteOnlyClient<T> {
  readonly #rest: RestClient;
  readonly #resource: Resource;

  constructor(rest: RestClient, resource: Resource) {
    this.#rest = rest;
    this.#resource = resource;
  }

  async create(object: T, options: WriteOptions = {}, signal?: AbortSignal): Promise<void> {
    return this.#write(createRequest(this.#resource, object, options), signal);
  }

  async patch(ref: ObjectRef, patch: Patch, options: WriteOptions = {}, signal?: AbortSignal): Promise<void> {
    return this.#write(patchRequest(this.#resource, ref, patch, options), signal);
  }

  async #write(request: RestRequest, signal: AbortSignal | undefined): Promise<void> {
    return this.#rest.run(request, async (response) => response.discard(), signal);
  }
}
