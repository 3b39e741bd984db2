import { PROTOBUF_TYPE } from "../api/protobuf/decode.ts";
import { parseJson } from "../api/wire-json.ts";
import type { Clock } from "../clock/clock.ts";
import { DeadlineError, sleep, withDeadline } from "../clock/wait.ts";
import { isStatus, throwIfRefused } from "./answer-kind.ts";
import type { ApiError } from "./errors.ts";
import { errorOfAnswer, errorOfFailure, errorOfStatus } from "./errors.ts";
import type { RateLimiter } from "./limiter.ts";
import type { RestMetrics } from "./rest-metrics.ts";
import { MAX_RETRIES, retryAfterMs, retryDelayOfAnswer, retryDelayOfFailure } from "./retry.ts";
import type {
  MessageStream,
  Method,
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRefusal,
} from "./transport.ts";
import { TransportError } from "./transport.ts";
import type { WarningLog } from "./warnings.ts";

export interface RestRequest {
  readonly method: Method;
  /** Absolute and percent-encoded; without the query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** A JSON value; or bytes or text, sent as they are. */
  readonly body?: unknown;
  /** Of the body; JSON when left out. */
  readonly contentType?: string;
  /** JSON when left out. */
  readonly accept?: string;
  /** The namespace that the rate limiter charges. */
  readonly namespace?: string;
  /** The caller wants to be told of a server that asks for patience, rather than that the request is sent again. */
  readonly once?: boolean;
  /** Overrides the client's limit, which counts from the first byte sent to the last byte read. */
  readonly timeoutMs?: number;
}

export interface RestOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly metrics: RestMetrics;
  readonly warnings: WarningLog;
  readonly userAgent: string;
  /** No limit when left out. */
  readonly timeoutMs?: number;
}

/** Any verb on any path: throttling, retries, deadlines, metrics and errors, on top of a Transport. */
export class RestClient {
  readonly #options: RestOptions;
  readonly clock: Clock;
  #answeredMs = -Infinity;

  constructor(options: RestOptions) {
    this.#options = options;
    this.clock = options.clock;
  }

  /** When (monotonic) the server last answered, whatever it said: who asks on and on is at work. */
  get answeredMs(): number {
    return this.#answeredMs;
  }

  /** The same client, all of whose requests go through what is put around its transport. */
  through(wrap: (transport: Transport) => Transport): RestClient {
    return new RestClient({ ...this.#options, transport: wrap(this.#options.transport) });
  }

  /** The JSON of a successful answer. */
  async json(request: RestRequest, signal?: AbortSignal): Promise<unknown> {
    return this.run(
      request,
      async (response) => {
        const body = await response.json();
        throwIfRefused(body, request);
        return body;
      },
      signal,
    );
  }

  /** The list of a successful answer without its items, each of which is handed on as it comes. */
  async items(request: RestRequest, onItem: (item: unknown) => void, signal?: AbortSignal): Promise<unknown> {
    return this.run(
      request,
      async (response) => {
        const list = await response.items(onItem);
        throwIfRefused(list, request);
        return list;
      },
      signal,
    );
  }

  /** The text of a successful answer. */
  async text(request: RestRequest, signal?: AbortSignal): Promise<string> {
    return this.run(request, async (response) => response.text(), signal);
  }

  /** Sends the request and reads the successful answer with `read`, all within the time limit. */
  async run<T>(
    request: RestRequest,
    read: (response: TransportResponse) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { clock, metrics, timeoutMs: defaultTimeoutMs } = this.#options;
    const startMs = clock.monotonicMs();
    const exchange = async (limited?: AbortSignal): Promise<T> => {
      const response = await this.#sendUntilFinal(request, false, limited);
      const result = await read(response);
      if (response.receivedBytes !== undefined) metrics.received(request.method, response.receivedBytes);
      return result;
    };
    try {
      // Waiting for the limiter does not count against the time limit: no request should fail that was never sent.
      await this.#throttle(request, signal);
      const limitMs = request.timeoutMs ?? defaultTimeoutMs;
      if (limitMs === undefined) return await exchange(signal);
      return await withDeadline(clock, { limitMs, what: "the request" }, exchange, signal);
    } catch (failure) {
      signal?.throwIfAborted();
      throw errorOfFailure(asTransportError(failure), request);
    } finally {
      metrics.request(request.method, clock.monotonicMs() - startMs);
    }
  }

  /** The successful answer to a request without an end. Such requests are neither throttled nor timed. */
  async open(request: RestRequest, signal?: AbortSignal): Promise<TransportResponse> {
    try {
      return await this.#sendUntilFinal(request, true, signal);
    } catch (failure) {
      signal?.throwIfAborted();
      throw errorOfFailure(failure, request);
    }
  }

  /**
   * A connection of its own that carries messages both ways, in one of the protocols. It counts as a GET, is not tried
   * again, and is neither throttled nor timed.
   */
  async upgrade(
    request: Pick<RestRequest, "path" | "query">,
    protocols: readonly string[],
    signal?: AbortSignal,
  ): Promise<MessageStream> {
    const asked = { method: "GET", ...request } as const;
    const { transport, metrics, userAgent } = this.#options;
    try {
      if (transport.upgrade === undefined)
        throw new TransportError("refused", "these clients have no connections of their own", false);
      const upgrade = { ...request, protocols, headers: { "user-agent": userAgent } };
      const answer = await transport.upgrade(upgrade, signal);
      metrics.attempt(asked.method, "messages" in answer ? SWITCHING_PROTOCOLS : answer.status, false);
      if ("messages" in answer) return answer;
      throw errorOfRefusal(answer, asked);
    } catch (failure) {
      signal?.throwIfAborted();
      throw errorOfFailure(failure, asked);
    }
  }

  async #sendUntilFinal(
    request: RestRequest,
    endless: boolean,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    const { clock } = this.#options;
    const message = this.#messageOf(request, endless);
    for (let retries = 0; ; retries++) {
      const outcome = await this.#attempt(message, retries, signal);
      if (outcome.response !== undefined && isSuccess(outcome.response.status)) return outcome.response;
      if (outcome.retryDelayMs === undefined || retries >= (request.once === true ? 0 : MAX_RETRIES)) {
        if (outcome.response === undefined) throw outcome.failure;
        throw await readError(outcome.response, request);
      }
      await outcome.response?.discard();
      await sleep(clock, outcome.retryDelayMs, signal);
      await this.#throttle(request, signal);
    }
  }

  async #attempt(
    message: TransportRequest,
    retries: number,
    signal: AbortSignal | undefined,
  ): Promise<{ response?: TransportResponse; failure?: unknown; retryDelayMs: number | undefined }> {
    const { transport, metrics, warnings, clock } = this.#options;
    try {
      const response = await transport.send(message, signal);
      this.#answeredMs = clock.monotonicMs();
      metrics.attempt(message.method, response.status, retries > 0);
      if (response.sentBytes !== undefined) metrics.sent(message.method, response.sentBytes);
      warnings.record(response.headers);
      return { response, retryDelayMs: retryDelayOfAnswer(response.status, response.headers) };
    } catch (failure) {
      signal?.throwIfAborted();
      metrics.attempt(message.method, undefined, retries > 0);
      return { failure, retryDelayMs: retryDelayOfFailure(failure, message.method, retries) };
    }
  }

  async #throttle(request: RestRequest, signal: AbortSignal | undefined): Promise<void> {
    const { clock, limiter, metrics } = this.#options;
    const startMs = clock.monotonicMs();
    await limiter.wait(request.namespace ?? "", signal);
    metrics.throttled(request.method, clock.monotonicMs() - startMs);
  }

  #messageOf(request: RestRequest, endless: boolean): TransportRequest {
    const headers: Record<string, string> = {
      accept: request.accept ?? "application/json",
      "user-agent": this.#options.userAgent,
    };
    if (request.body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
    return {
      method: request.method,
      path: request.path,
      ...(request.query === undefined ? {} : { query: request.query }),
      headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(endless ? { endless } : {}),
    };
  }
}

const SWITCHING_PROTOCOLS = 101;

function errorOfRefusal({ status, headers, text }: UpgradeRefusal, request: RestRequest): ApiError {
  const body = headers["content-type"]?.startsWith("application/json") ? parsed(text) : undefined;
  if (isStatus(body)) return errorOfStatus(body, request, status, retryAfterMs(headers));
  return errorOfAnswer(status, text, request, retryAfterMs(headers));
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function asTransportError(failure: unknown): unknown {
  if (!(failure instanceof DeadlineError)) return failure;
  return new TransportError("timeout", failure.message, true, failure);
}

/** Reads an unsuccessful answer: a Status, or whatever a proxy in between has to say. */
async function readError(response: TransportResponse, request: RestRequest): Promise<ApiError> {
  const delayMs = retryAfterMs(response.headers);
  const contentType = response.headers["content-type"] ?? "";
  if (contentType.startsWith("application/json") || contentType.startsWith(PROTOBUF_TYPE)) {
    const body = await readJson(response);
    if (isStatus(body)) return errorOfStatus(body, request, response.status, delayMs);
    return errorOfAnswer(response.status, "", request, delayMs);
  }
  if (contentType === "" || contentType.startsWith("text/plain")) {
    return errorOfAnswer(response.status, await response.text(), request, delayMs);
  }
  await response.discard();
  return errorOfAnswer(response.status, "", request, delayMs);
}

/** A body that breaks off or cannot be read leaves the status code, which says enough. */
async function readJson(response: TransportResponse): Promise<unknown> {
  try {
    return await response.json();
  } catch (failure) {
    if (failure instanceof TransportError) return undefined;
    throw failure;
  }
}
