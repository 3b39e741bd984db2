import type {
  ApiObject,
  ListMeta,
  ObjectList,
  ObjectRef,
  Status,
  Stored,
  WatchEvent,
} from "../api/object.ts";
import { hasProtobuf, PROTOBUF_TYPE } from "../api/protobuf/decode.ts";
import type { Resource } from "../api/resource.ts";
import { apiVersionOf } from "../api/resource.ts";
import { AnswerKind, isStatus, throwIfRefused } from "./answer-kind.ts";
import type {
  DeleteOptions,
  GetOptions,
  ListOptions,
  Patch,
  ResourceClient,
  WatchOptions,
  WholeSubresource,
  WriteOptions,
} from "./resource-client.ts";
import * as requests from "./resource-requests.ts";
import type { RestClient, RestRequest } from "./rest.ts";
import type { TransportResponse } from "./transport.ts";
import { watchEvents } from "./watch-events.ts";

const OF_METADATA = "g=meta.k8s.io;v=v1";
const AS_METADATA = `as=PartialObjectMetadata;${OF_METADATA}`;
/** A server that cannot give metadata alone, as that of an aggregated API may be, gives the whole, and refuses nothing. */
const ACCEPT_METADATA = `application/json;${AS_METADATA}, application/json`;
const ACCEPT_METADATA_LIST = `application/json;as=PartialObjectMetadataList;${OF_METADATA}, application/json`;
/** Protobuf where there is any, as it is cheaper at both ends. */
const ACCEPT_FIELDS = `${PROTOBUF_TYPE}, application/json`;
const ACCEPT_METADATA_FIELDS = `${PROTOBUF_TYPE};${AS_METADATA}, ${ACCEPT_METADATA}`;

type ListHead<T> = Omit<ObjectList<T>, "items">;

/** The one implementation behind typed, dynamic and metadata clients: they differ in the type parameter and `accept`. */
export class RestResourceClient<T extends ApiObject> implements ResourceClient<T> {
  readonly resource: Resource;
  readonly #rest: RestClient;
  readonly #answer: AnswerKind<Stored<T>>;
  readonly #acceptObject: { readonly accept?: string };
  readonly #acceptList: { readonly accept?: string };

  constructor(rest: RestClient, resource: Resource, content: "whole" | "metadata" = "whole") {
    this.resource = resource;
    this.#rest = rest;
    this.#answer = new AnswerKind(resource);
    this.#acceptObject = content === "metadata" ? { accept: ACCEPT_METADATA } : {};
    this.#acceptList = content === "metadata" ? { accept: ACCEPT_METADATA_LIST } : {};
  }

  async get(ref: ObjectRef, options: GetOptions = {}, signal?: AbortSignal): Promise<Stored<T>> {
    return this.#object(requests.getRequest(this.resource, ref, options), signal);
  }

  async list(options: ListOptions = {}, signal?: AbortSignal): Promise<ObjectList<Stored<T>>> {
    const items: Stored<T>[] = [];
    const list = await this.#readList(options, (item) => items.push(item), signal);
    return { ...list, items };
  }

  async listEach(
    options: ListOptions,
    onItem: (item: Stored<T>) => void,
    signal?: AbortSignal,
  ): Promise<ListMeta> {
    return (await this.#readList(options, onItem, signal)).metadata;
  }

  watch(options: WatchOptions, signal?: AbortSignal): AsyncIterable<WatchEvent<Stored<T>>> {
    const accept = options.fields === undefined ? this.#acceptObject : this.#acceptFields();
    const request = { ...requests.watchRequest(this.resource, options), ...accept };
    return watchEvents(this.#rest, { request, answer: this.#answer, options }, signal);
  }

  async create(object: T, options: WriteOptions = {}, signal?: AbortSignal): Promise<Stored<T>> {
    return this.#object(requests.createRequest(this.resource, object, options), signal);
  }

  async update(object: T, options: WriteOptions = {}, signal?: AbortSignal): Promise<Stored<T>> {
    return this.#object(requests.updateRequest(this.resource, object, options), signal);
  }

  async updateStatus(object: T, options: WriteOptions = {}, signal?: AbortSignal): Promise<Stored<T>> {
    return this.#object(requests.updateRequest(this.resource, object, options, "status"), signal);
  }

  async patch(
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions & { readonly subresource?: WholeSubresource } = {},
    signal?: AbortSignal,
  ): Promise<Stored<T>> {
    return this.#object(requests.patchRequest(this.resource, ref, patch, options), signal);
  }

  async apply(
    object: Partial<T> & ApiObject,
    options: requests.ApplyOptions,
    signal?: AbortSignal,
  ): Promise<Stored<T>> {
    return this.#object(requests.applyRequest(this.resource, object, options), signal);
  }

  async delete(
    ref: ObjectRef,
    options: DeleteOptions = {},
    signal?: AbortSignal,
  ): Promise<Stored<T> | Status> {
    const request = requests.deleteRequest(this.resource, ref, options);
    return this.#read(request, (body) => (isStatus(body) ? body : this.#answer.object(body)), signal);
  }

  async deleteCollection(
    list: ListOptions,
    options: DeleteOptions = {},
    signal?: AbortSignal,
  ): Promise<void> {
    const request = requests.deleteCollectionRequest(this.resource, list, options);
    await this.#rest.run(request, async (response) => response.discard(), signal);
  }

  async getSubresource<S>(ref: ObjectRef, subresource: string, signal?: AbortSignal): Promise<S> {
    const request = requests.subresourceRequest("GET", this.resource, { ...ref, subresource });
    return (await this.#rest.json(request, signal)) as S;
  }

  async createSubresource<S>(
    ref: ObjectRef,
    subresource: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<S> {
    const request = requests.subresourceRequest("POST", this.resource, { ...ref, subresource }, body);
    return (await this.#rest.json(request, signal)) as S;
  }

  async patchSubresource<S>(
    ref: ObjectRef,
    subresource: string,
    patch: Patch,
    signal?: AbortSignal,
  ): Promise<S> {
    const request = requests.patchRequest(this.resource, ref, patch, { subresource });
    return (await this.#rest.json(request, signal)) as S;
  }

  async updateSubresource<S>(
    ref: ObjectRef,
    subresource: string,
    body: unknown,
    signal?: AbortSignal,
  ): Promise<S> {
    const request = requests.subresourceRequest("PUT", this.resource, { ...ref, subresource }, body);
    return (await this.#rest.json(request, signal)) as S;
  }

  #acceptFields(): { readonly accept?: string } {
    if (this.#acceptObject.accept !== undefined) return { accept: ACCEPT_METADATA_FIELDS };
    return hasProtobuf(apiVersionOf(this.resource), this.resource.kind) ? { accept: ACCEPT_FIELDS } : {};
  }

  async #object(request: RestRequest, signal: AbortSignal | undefined): Promise<Stored<T>> {
    return this.#read(request, (body) => this.#answer.object(body), signal);
  }

  async #read<R>(
    request: RestRequest,
    of: (body: unknown) => R,
    signal: AbortSignal | undefined,
  ): Promise<R> {
    const read = async (response: TransportResponse): Promise<R> => {
      const body = await response.json();
      throwIfRefused(body, request);
      return of(body);
    };
    return this.#rest.run({ ...request, ...this.#acceptObject }, read, signal);
  }

  async #readList(
    options: ListOptions,
    onItem: (item: Stored<T>) => void,
    signal: AbortSignal | undefined,
  ): Promise<ListHead<T>> {
    const request = { ...requests.listRequest(this.resource, options), ...this.#acceptList };
    const read = async (response: TransportResponse): Promise<ListHead<T>> => {
      const list = await response.items((item) => onItem(this.#answer.item(item)));
      throwIfRefused(list, request);
      return this.#answer.list(list);
    };
    return this.#rest.run(request, read, signal);
  }
}
