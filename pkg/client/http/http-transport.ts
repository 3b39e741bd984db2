import type { Dispatcher } from "undici";
import type { Clock } from "../../clock/clock.ts";
import { abortable } from "../abortable.ts";
import type { Transport, TransportRequest, TransportResponse } from "../transport.ts";
import { TransportError } from "../transport.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { endpointOf } from "./connect.ts";
import { failureOf } from "./failure.ts";
import { HttpResponse } from "./http-response.ts";
import type { Credentials, Identity } from "./identity.ts";
import { PeerProbe } from "./peer-probe.ts";

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
}

/** Requests to one API server as one identity. */
export class HttpTransport implements Transport {
  readonly #identity: Identity;
  readonly #prefix: string;
  readonly #pool: ConnectionPool;
  readonly #probe: PeerProbe;

  constructor(options: HttpTransportOptions) {
    const { server, identity, clock } = options;
    this.#identity = identity;
    this.#prefix = server.pathname.replace(/\/$/, "");
    this.#pool = new ConnectionPool(
      server,
      endpointOf(server, options.http1Only ?? false, options.proxy),
      clock,
    );
    this.#probe = new PeerProbe(
      clock,
      () => this.#pool.speaksHttp1 && this.#pool.busy,
      async (signal) => this.#ping(signal),
      () => this.#pool.failAll(new TransportError("lost", "the API server no longer answers", true)),
    );
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

  #credentials(signal: AbortSignal | undefined): Credentials | Promise<Credentials> {
    const credentials = this.#identity.credentials();
    return credentials instanceof Promise ? abortable(credentials, signal) : credentials;
  }

  async close(): Promise<void> {
    this.#probe.stop();
    await this.#pool.close();
  }

  async #exchange(
    request: TransportRequest,
    credentials: Credentials,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    const body = serialise(request.body);
    const connection = await this.#acquire(credentials, signal);
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
      const answer = connection.request(options, signal);
      if (this.#pool.speaksHttp1) this.#probe.start();
      return new HttpResponse(await answer, body?.length ?? 0);
    } catch (failure) {
      throw failureOf(failure, signal);
    }
  }

  async #acquire(credentials: Credentials, signal: AbortSignal | undefined): Promise<Connection> {
    try {
      return await this.#pool.acquire(credentials.tls, signal);
    } catch (failure) {
      throw failureOf(failure, signal);
    }
  }

  /** Whatever the answer is: that there is one shows that the server runs. */
  async #ping(signal: AbortSignal): Promise<void> {
    const request: TransportRequest = { method: "GET", path: "/livez" };
    const response = await this.#exchange(request, await this.#identity.credentials(), signal);
    await response.discard();
  }
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
