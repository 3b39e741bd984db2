import type { Status } from "../api/object.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../client/transport.ts";
import type { Clock } from "../clock/clock.ts";
import { type Random, randomBelow } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import type { Weather } from "./troubles.ts";

export interface ProcessTransportOptions {
  readonly server: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly weather: Weather;
}

const REFUSALS: readonly Status[] = [
  { code: 409, reason: "Conflict", message: "the object has been modified" },
  { code: 429, reason: "TooManyRequests", message: "too many requests" },
  { code: 500, reason: "InternalError", message: "an internal error" },
  { code: 503, reason: "ServiceUnavailable", message: "the server is shutting down" },
];
const EXPIRED: Status = { code: 410, reason: "Expired", message: "too old resource version" };

/** The way from one process to the server, as the weather has it. It can be cut, as when the process is killed. */
export class ProcessTransport implements Transport {
  readonly #options: ProcessTransportOptions;
  #watches = new AbortController();
  #isDead = false;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    this.#checkAlive(false);
    const { server, random, weather } = this.#options;
    await this.#travel(signal);
    this.#checkAlive(false);
    const isWrite = request.method !== "GET";
    if (request.endless === true) return this.#watch(request, signal);
    if (weather.refused > 0 && random.next() < weather.refused) return refusal(this.#anyRefusal(isWrite));
    const isLost = isWrite && weather.lost > 0 && random.next() < weather.lost;
    const response = await server.send(request, signal);
    await this.#travel(signal);
    this.#checkAlive(true);
    if (!isLost) return response;
    await response.discard();
    throw new TransportError("lost", "the connection was lost before the answer", true);
  }

  async close(): Promise<void> {
    await this.#options.server.close();
  }

  cutWatches(): void {
    const watches = this.#watches;
    this.#watches = new AbortController();
    watches.abort(new TransportError("lost", "the watch was cut", true));
  }

  /** What is under way arrives, and nobody hears of it. */
  die(): void {
    this.#isDead = true;
    this.cutWatches();
  }

  /** Time passes with every request: two that undo each other's work would otherwise go on for ever in one moment. */
  async #travel(signal: AbortSignal | undefined): Promise<void> {
    const { clock, random, weather } = this.#options;
    await sleep(clock, 1 + randomBelow(random, weather.latencyMs), signal);
  }

  async #watch(request: TransportRequest, signal: AbortSignal | undefined): Promise<TransportResponse> {
    const { server, weather } = this.#options;
    const version = request.query?.get("resourceVersion") ?? "";
    const isFromStart = version === "" || version === "0" || request.query?.has("sendInitialEvents");
    if (weather.isExpired && isFromStart !== true) return refusal(EXPIRED);
    const cut = this.#watches.signal;
    const both = signal === undefined ? cut : AbortSignal.any([signal, cut]);
    const response = await server.send(request, both);
    return { ...passedOn(response), documents: (fields) => this.#late(response.documents(fields), both) };
  }

  /** Documents in order, none before its time has come. */
  async *#late(documents: AsyncIterable<unknown>, signal: AbortSignal): AsyncIterable<unknown> {
    const { clock, weather } = this.#options;
    for await (const document of documents) {
      for (let leftMs = 0; (leftMs = weather.staleUntilMs - clock.monotonicMs()) > 0;)
        // A delay too small for the clock to show it would never end.
        await sleep(clock, Math.min(Math.ceil(leftMs), 500), signal);
      yield document;
    }
  }

  #anyRefusal(isWrite: boolean): Status {
    const { random } = this.#options;
    const from = isWrite ? 0 : 1;
    return REFUSALS[from + randomBelow(random, REFUSALS.length - from)] ?? {};
  }

  #checkAlive(sent: boolean): void {
    if (this.#isDead) throw new TransportError("closed", "the process is dead", sent);
  }
}

/** Responses are classes, whose methods are no fields of their own. */
function passedOn(response: TransportResponse): Omit<TransportResponse, "documents"> {
  return {
    status: response.status,
    headers: response.headers,
    text: async () => response.text(),
    json: async () => response.json(),
    items: async (onItem) => response.items(onItem),
    chunks: () => response.chunks(),
    discard: async () => response.discard(),
  };
}

function refusal(reason: Status): TransportResponse {
  const status: Status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", ...reason };
  return {
    status: reason.code ?? 500,
    headers: { "content-type": "application/json" },
    text: async () => JSON.stringify(status),
    json: async () => status,
    items: async () => status,
    async *chunks() {
      yield Buffer.from(JSON.stringify(status));
    },
    async *documents() {
      yield status;
    },
    discard: async () => undefined,
  };
}
