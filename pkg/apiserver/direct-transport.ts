import { isJson } from "../api/json.ts";
import type { ListMeta } from "../api/object.ts";
import {
  type MessageStream,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
  type UpgradeRefusal,
  type UpgradeRequest,
} from "../client/transport.ts";
import { messagePipe } from "./http/message-pipe.ts";
import { choosePortProtocol, forwardPorts } from "./http/port-session.ts";
import { chooseProtocol, runSession } from "./http/process-session.ts";
import { parseJson } from "../api/wire-json.ts";
import type { UserInfo } from "./server/access.ts";
import type { ApiServer } from "./server/api-server.ts";
import { DisconnectError } from "./server/faults.ts";
import type { ApiResponse, RequestBody, ResponseBody, WatchFrame } from "./server/request.ts";

/**
 * A client's way to a server in the same process: no bytes, no sockets. Answers share the server's frozen objects;
 * bodies are copied on their way in.
 */
export class DirectTransport implements Transport {
  readonly #server: Pick<ApiServer, "handle">;
  readonly #user: UserInfo | undefined;
  readonly #closing = new AbortController();

  /** With a user the server asks for no credentials. */
  constructor(server: Pick<ApiServer, "handle">, user?: UserInfo) {
    this.#server = server;
    this.#user = user;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    return new DirectResponse(await this.#ask(request, signal), signal);
  }

  async upgrade(request: UpgradeRequest, signal?: AbortSignal): Promise<MessageStream | UpgradeRefusal> {
    const { protocols, ...rest } = request;
    const headers = { ...request.headers, connection: "Upgrade", upgrade: "websocket" };
    const response = await this.#ask({ ...rest, method: "GET", headers }, signal);
    const { body } = response;
    const choose = body.kind === "ports" ? choosePortProtocol : chooseProtocol;
    const protocol = choose(protocols.join(","));
    if ((body.kind !== "session" && body.kind !== "ports") || protocol === undefined) {
      const refusal = new DirectResponse(response, signal);
      return { status: refusal.status, headers: refusal.headers, text: await refusal.text() };
    }
    const [near, far] = messagePipe(protocol);
    const lifetime = this.#lifetime(signal);
    lifetime.addEventListener("abort", () => void near.close(), { once: true });
    // Whoever holds the other end hears of a failure by its end.
    const session =
      body.kind === "ports"
        ? forwardPorts(body.session, far, protocol, lifetime)
        : runSession(body.session, far, lifetime);
    session.catch(async () => far.close());
    return near;
  }

  #lifetime(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
  }

  async #ask(request: TransportRequest, signal: AbortSignal | undefined): Promise<ApiResponse> {
    signal?.throwIfAborted();
    if (this.#closing.signal.aborted) throw new TransportError("closed", "the transport is closed", false);
    request.beforeSend?.();
    const lifetime = this.#lifetime(signal);
    const body = requestBody(request.body);
    const headers = request.headers ?? {};
    const answer = this.#server.handle({
      method: request.method,
      path: request.path,
      query: request.query ?? new URLSearchParams(),
      headers,
      ...(body === undefined ? {} : { body }),
      ...(this.#user === undefined ? {} : { user: this.#user }),
      signal: lifetime,
    });
    return settledOrAborted(answer, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new TransportError("closed", "the transport is closed", true));
  }
}

function requestBody(body: unknown): RequestBody | undefined {
  if (body === undefined) return undefined;
  if (typeof body === "string") return { text: body };
  if (body instanceof Uint8Array) return { text: Buffer.from(body).toString() };
  return { value: body };
}

/** The server goes on after an abort, as one behind a network would; only its answer is dropped. */
async function settledOrAborted(
  answer: Promise<ApiResponse>,
  signal: AbortSignal | undefined,
): Promise<ApiResponse> {
  try {
    if (signal === undefined) return await answer;
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = (): void => reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      return await Promise.race([answer, aborted]);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  } catch (error) {
    if (error instanceof DisconnectError) {
      const code = error.disconnection === "refused" ? "refused" : "lost";
      throw new TransportError(code, error.message, error.disconnection === "acted", error);
    }
    throw error;
  }
}

class DirectResponse implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly #body: ResponseBody;
  readonly #signal: AbortSignal | undefined;

  constructor(response: ApiResponse, signal: AbortSignal | undefined) {
    this.status = response.status;
    const all: ApiResponse["headers"] = { "content-type": "application/json", ...response.headers };
    this.headers = Object.fromEntries(
      Object.entries(all).map(([name, value]) => [name, [value].flat().join(", ")]),
    );
    this.#body = response.body;
    this.#signal = signal;
  }

  async text(): Promise<string> {
    if (this.#body.kind === "text") return this.#body.text;
    if (this.#body.kind === "bytes") return Buffer.from(this.#body.bytes).toString();
    if (this.#body.kind === "stream") return (await Array.fromAsync(this.#body.chunks)).join("");
    return JSON.stringify(await this.json());
  }

  async json(): Promise<unknown> {
    const body = this.#body;
    if (body.kind === "object") return body.value;
    if (body.kind === "list") return { ...listHead(body), items: body.list.items };
    if (body.kind === "session" || body.kind === "ports")
      throw new TransportError("malformed", "a client in this process has no sessions with pods", true);
    if (body.kind === "watch")
      throw new TransportError("malformed", "a stream of documents is not one document", true);
    return parseJson(await this.text());
  }

  async items(onItem: (item: unknown) => void): Promise<unknown> {
    if (this.#body.kind === "list") {
      for (const item of this.#body.list.items) onItem(item);
      return listHead(this.#body);
    }
    // What is worked out for each request comes as a document, be it a list.
    const document = await this.json();
    if (!isJson(document) || !Array.isArray(document["items"])) return document;
    const { items: listed, ...head } = document;
    for (const item of listed) onItem(item);
    return head;
  }

  async *documents(): AsyncIterable<unknown> {
    if (this.#body.kind !== "watch") {
      yield await this.json();
      return;
    }
    for await (const { type, object } of this.#body.frames)
      yield { type, object } satisfies Omit<WatchFrame, "shared">;
    this.#signal?.throwIfAborted();
  }

  async *chunks(): AsyncIterable<Uint8Array> {
    if (this.#body.kind !== "stream") {
      yield Buffer.from(await this.text());
      return;
    }
    for await (const chunk of this.#body.chunks) yield Buffer.from(chunk);
    this.#signal?.throwIfAborted();
  }

  async discard(): Promise<void> {
    if (this.#body.kind === "watch") await this.#body.frames[Symbol.asyncIterator]().return?.();
    if (this.#body.kind === "stream") await this.#body.chunks[Symbol.asyncIterator]().return?.();
  }
}

function listHead(body: Extract<ResponseBody, { kind: "list" }>): {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ListMeta;
} {
  const { kind, apiVersion, metadata } = body.list;
  return { kind, apiVersion, metadata };
}
