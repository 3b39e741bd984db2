import type { Dispatcher } from "undici";
import type { Clock } from "../../clock/clock.ts";
import { withDeadline } from "../../clock/wait.ts";
import { abortable } from "../abortable.ts";
import type {
  MessageStream,
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRefusal,
  UpgradeRequest,
} from "../transport.ts";
import { TransportError } from "../transport.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool, type PoolOptions } from "./connection-pool.ts";
import { type Endpoint, endpointOf } from "./connect.ts";
import { failureOf } from "./failure.ts";
import { DEFAULT_PATIENCE, type PeerPatience } from "./heartbeat.ts";
import { HttpResponse } from "./http-response.ts";
import type { Credentials, Identity } from "./identity.ts";
import { openWebSocket } from "./open-web-socket.ts";
import {
  NO_SINGLE_CONNECTIONS,
  ShortRequests,
  SINGLE_CONNECTIONS,
  type SingleConnections,
} from "./short-requests.ts";

/** API servers give up on ordinary requests after 60 s. */
const ANSWER_TIMEOUT_MS = 90_000;

export interface HttpTransportOptions {
  /** Where the API server is; a path in front of all others may follow the port. */
  readonly server: URL;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly proxy?: URL;
  /** For identities with repeated headers: over HTTP/2, undici joins the values into one. */
  readonly http1Only?: boolean;
  readonly patience?: PeerPatience;
  /** For short requests, where the server speaks HTTP/2. */
  readonly singleConnections?: SingleConnections;
}

/** Static, open to all, and without any check behind it: how long it takes says nothing about the rest of the server. */
const PROBED_PATH = "/version";

/** Requests to one API server as one identity. */
export class HttpTransport implements Transport {
  readonly #identity: Identity;
  readonly #prefix: string;
  readonly #endpoint: Endpoint;
  /** For watches: sessions of HTTP/2, where the server speaks it. */
  readonly #pool: ConnectionPool;
  readonly #short: ShortRequests;
  readonly #clock: Clock;
  readonly #patience: PeerPatience;
  #probing: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    const { server, identity, clock, patience = DEFAULT_PATIENCE } = options;
    this.#identity = identity;
    this.#clock = clock;
    this.#patience = patience;
    this.#prefix = server.pathname.replace(/\/$/, "");
    this.#endpoint = endpointOf(server, options.http1Only ?? false, options.proxy);
    const pool: PoolOptions = {
      clock,
      patience,
      probe: (onAnswer) => void this.#probe().then(onAnswer, () => undefined),
    };
    this.#pool = new ConnectionPool(server, this.#endpoint, pool);
    const single = new ConnectionPool(server, { ...this.#endpoint, http1Only: true }, pool);
    const hasChoice = this.#endpoint.secure && !this.#endpoint.http1Only;
    const limits = hasChoice ? (options.singleConnections ?? SINGLE_CONNECTIONS) : NO_SINGLE_CONNECTIONS;
    this.#short = new ShortRequests({ single, shared: this.#pool, limits, clock });
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    signal?.throwIfAborted();
    const credentials = await this.#credentials(signal);
    const response = await this.#exchange(request, credentials, signal);
    if (response.status !== 401) return response;
    if (!(await abortable(this.#identity.renew(credentials), signal))) return response;
    await response.discard();
    return this.#exchange(request, await this.#credentials(signal), signal);
  }

  async upgrade(request: UpgradeRequest, signal?: AbortSignal): Promise<MessageStream | UpgradeRefusal> {
    signal?.throwIfAborted();
    const credentials = await this.#credentials(signal);
    const first = await this.#open(request, credentials, signal);
    if ("messages" in first || first.status !== 401) return first;
    if (!(await abortable(this.#identity.renew(credentials), signal))) return first;
    return this.#open(request, await this.#credentials(signal), signal);
  }

  async #open(
    request: UpgradeRequest,
    credentials: Credentials,
    signal: AbortSignal | undefined,
  ): Promise<MessageStream | UpgradeRefusal> {
    const peer = { endpoint: this.#endpoint, clock: this.#clock, prefix: this.#prefix, credentials };
    return abortable(openWebSocket(peer, request, signal), signal);
  }

  #credentials(signal: AbortSignal | undefined): Credentials | Promise<Credentials> {
    const credentials = this.#identity.credentials();
    return credentials instanceof Promise ? abortable(credentials, signal) : credentials;
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.close(), this.#short.close()]);
  }

  async #exchange(
    request: TransportRequest,
    credentials: Credentials,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    if (request.endless) return this.#exchangeOver(this.#pool, { request, credentials, signal });
    this.#short.begin();
    try {
      return await this.#exchangeOver(this.#short, { request, credentials, signal });
    } finally {
      this.#short.end();
    }
  }

  async #exchangeOver(
    connections: Pick<ConnectionPool, "acquire">,
    { request, credentials, signal }: Message,
  ): Promise<TransportResponse> {
    const body = serialise(request.body);
    let connection: Connection;
    try {
      connection = await connections.acquire(credentials.tls, signal);
    } catch (failure) {
      throw failureOf(failure, signal);
    }
    refuseOrGoOn(request, connection);
    try {
      const options = {
        method: request.method,
        path:
          this.#prefix + request.path + (request.query === undefined ? "" : `?${request.query.toString()}`),
        headers: { ...request.headers, ...credentials.headers } as Record<string, string | string[]>,
        body,
        headersTimeout: ANSWER_TIMEOUT_MS,
        bodyTimeout: request.endless ? 0 : ANSWER_TIMEOUT_MS,
      };
      return new HttpResponse(await connection.request(options, signal), body?.length ?? 0);
    } catch (failure) {
      throw failureOf(failure, signal);
    }
  }

  /** Resolves when the server has shown that it runs, rejects when it has not; all who ask meanwhile share it. */
  async #probe(): Promise<void> {
    this.#probing ??= this.#askAnything().finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  async #askAnything(): Promise<void> {
    const request: TransportRequest = { method: "GET", path: PROBED_PATH };
    const ask = async (signal: AbortSignal): Promise<void> => {
      const response = await this.#exchange(request, await this.#credentials(signal), signal);
      await response.discard();
    };
    try {
      await withDeadline(
        this.#clock,
        { limitMs: this.#patience.pingMs, what: "the probe of the API server" },
        ask,
      );
    } catch (failure) {
      // A refused or broken connection is no silence: those in flight will hear of it themselves.
      const isSilence = !(failure instanceof TransportError) || failure.code === "timeout";
      if (isSilence) throw failure;
    }
  }
}

interface Message {
  readonly request: TransportRequest;
  readonly credentials: Credentials;
  readonly signal: AbortSignal | undefined;
}

/** The last moment at which a request can be held back. */
function refuseOrGoOn(request: TransportRequest, connection: Connection): void {
  try {
    request.beforeSend?.();
  } catch (refusal) {
    connection.release();
    throw refusal;
  }
}

function serialise(body: unknown): Dispatcher.DispatchOptions["body"] & (Buffer | Uint8Array | null) {
  if (body === undefined) return null;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}
