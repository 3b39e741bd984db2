import type { ApiObject, ObjectList, Status } from "../api/object.ts";
import { apiVersionOf, type Resource } from "../api/resource.ts";
import { errorOfStatus } from "./errors.ts";
import type { Method } from "./transport.ts";
import { TransportError } from "./transport.ts";

interface Typed {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: unknown;
}

const PARTIAL = { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" };

/** Groups of one's own may have a kind of that name. */
const STATUS_VERSIONS: ReadonlySet<unknown> = new Set(["v1", "meta.k8s.io/v1", undefined]);

export function isStatus(body: unknown): body is Status {
  const { apiVersion, kind } = typed(body);
  return kind === "Status" && STATUS_VERSIONS.has(apiVersion);
}

/** A refusal that comes with a code of success is a refusal. upstream: client-go/rest/request.go#Result.Into */
export function throwIfRefused(
  body: unknown,
  asked: { readonly method: Method; readonly path: string },
): void {
  if (isStatus(body) && body.status !== "Success") throw errorOfStatus(body, asked, 500);
}

/**
 * The one place where bodies become objects of a resource. What says that it is something else (the page of a proxy, a
 * Status, another resource) says nothing of the object, so that it is an error.
 */
export class AnswerKind<T extends ApiObject> {
  readonly #kind: string;
  readonly #apiVersion: string;

  constructor(resource: Resource) {
    this.#kind = resource.kind;
    this.#apiVersion = apiVersionOf(resource);
  }

  /** Servers that do not know how to give metadata alone give the whole. */
  object(body: unknown): T {
    if (!this.isObject(body)) throw this.#unexpected(body, this.#kind);
    return body;
  }

  isObject(body: unknown): body is T {
    const { apiVersion, kind } = typed(body);
    const isOwn = kind === this.#kind && apiVersion === this.#apiVersion;
    return (isOwn || isPartial(apiVersion, kind, "")) && hasMetadata(body);
  }

  /** Of a List of built-in objects they do not say what they are. */
  item(body: unknown): T {
    const isUntyped = typed(body).kind === undefined && hasMetadata(body);
    if (!isUntyped && !this.isObject(body)) throw this.#unexpected(body, this.#kind);
    return body as T;
  }

  /** The List without its items. Definitions may name the lists of their objects as they like. */
  list(body: unknown): Omit<ObjectList<T>, "items"> {
    const { apiVersion, kind } = typed(body);
    const isOwn = apiVersion === this.#apiVersion && kind !== undefined && kind !== this.#kind;
    const isList = (isOwn && !isStatus(body)) || isPartial(apiVersion, kind, "List") || isPlainList(body);
    if (!isList || !hasMetadata(body)) throw this.#unexpected(body, `a list of ${this.#kind}`);
    return body;
  }

  #unexpected(body: unknown, wanted: string): TransportError {
    const { apiVersion, kind } = typed(body);
    const found = JSON.stringify({ apiVersion, kind });
    return new TransportError("malformed", `the answer is ${found}, not ${this.#apiVersion} ${wanted}`, true);
  }
}

function typed(body: unknown): Typed {
  return typeof body === "object" && body !== null ? body : {};
}

function hasMetadata(body: unknown): body is { readonly metadata: object } {
  const { metadata } = typed(body);
  return typeof metadata === "object" && metadata !== null;
}

function isPartial(apiVersion: unknown, kind: unknown, suffix: string): boolean {
  return apiVersion === PARTIAL.apiVersion && kind === PARTIAL.kind + suffix;
}

function isPlainList(body: unknown): boolean {
  const { apiVersion, kind } = typed(body);
  return apiVersion === "v1" && kind === "List";
}
