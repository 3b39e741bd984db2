import type { Status } from "../../../pkg/api/object.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../../../pkg/client/transport.ts";
import type { Random } from "../../../pkg/clock/random.ts";
import { randomBelow } from "../../../pkg/clock/random.ts";
import type { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";
import type { Machine } from "./machine.ts";
import { factsOf, isWrite, type RequestFacts } from "./request-of.ts";
import { refusalOf, spoilt, withoutHidden } from "./refusals.ts";
import { type Frame, WatchPipe } from "./watch-pipe.ts";
import { type Fate, isAmbiguous, type Weather } from "./weather.ts";

/** What reached the server, in the moment when it had its effect. */
export interface Arrival {
  readonly facts: RequestFacts;
  readonly request: TransportRequest;
  readonly client: string;
  readonly status: number;
  readonly answer: unknown;
  /** The client does not learn that it succeeded. */
  readonly ambiguous: boolean;
}

interface Sent {
  readonly client: string;
  readonly request: TransportRequest;
  readonly signal: AbortSignal | undefined;
  readonly onArrived: (arrival: Arrival) => void;
}

export interface WireOptions {
  readonly server: Transport;
  readonly clock: VirtualClock;
  readonly machine: Machine;
  readonly random: Random;
  readonly weather: Weather;
  /** Before a request of this process takes effect; all stores are written to by it until the next call. */
  readonly onArriving: (client: string) => void;
  readonly onArrived: (arrival: Arrival) => void;
  /** Its sender gave up before it heard what this had done. */
  readonly onGivenUp: (arrival: Arrival) => void;
  /** The process has been shown the state of a resource up to a version. */
  readonly onSeen: (resource: string, version: string) => void;
  /** The process has been shown an object, or a list of them. */
  readonly onShown: (answer: unknown) => void;
  /** Gives the version to list at instead, for a list that any version will do for. */
  readonly staleVersion: () => string | undefined;
}

const READABLE: ReadonlySet<string> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);
/** Requests that take longer than this on their way are given up by the network. */
const LONGEST_WAY_MS = 3_000;

/**
 * The network between one process and the server. Requests take their time both ways, overtake each other, fail before
 * or after they had their effect; what was sent arrives even when its sender has given up or died since.
 */
export class Wire {
  readonly #options: WireOptions;
  readonly #pipes = new Set<WatchPipe>();
  /** Listeners on signals of requests that are under way, to be taken off: signals with listeners are never freed. */
  readonly #forget = new Set<() => void>();
  #isClosed = false;

  constructor(options: WireOptions) {
    this.#options = options;
  }

  transport(client: string): Transport {
    return {
      send: async (request, signal) => this.#send(client, request, signal),
      close: async () => undefined,
    };
  }

  /** Cuts watches: all, or those of one resource. */
  cutWatches(): number {
    const cut = [...this.#pipes];
    this.#pipes.clear();
    for (const pipe of cut) pipe.break();
    return cut.length;
  }

  /** The process is gone, and its connections with it. */
  close(): void {
    this.#isClosed = true;
    for (const forget of this.#forget) forget();
    for (const pipe of this.#pipes) pipe.break(true);
    this.#pipes.clear();
  }

  async #send(client: string, request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    signal?.throwIfAborted();
    if (this.#isClosed) return new Promise(() => undefined);
    const { clock, machine } = this.#options;
    return new Promise((resolve, reject) => {
      let arrived: Arrival | undefined;
      const onAbort = (): void => {
        if (arrived !== undefined) this.#options.onGivenUp(arrived);
        reject(signal?.reason as Error);
      };
      const forget = (): void => {
        signal?.removeEventListener("abort", onAbort);
        this.#forget.delete(forget);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#forget.add(forget);
      const answer = (settle: () => void): void => {
        clock.setTimer(this.#wayMs(), () =>
          machine.deliver(() => {
            forget();
            settle();
          }),
        );
      };
      clock.setTimer(this.#wayMs(), () => {
        const onArrived = (arrival: Arrival): void => {
          arrived = arrival;
          this.#options.onArrived(arrival);
        };
        this.#arrive({ client, request, signal, onArrived }).then(
          (response) => {
            if (response !== undefined) answer(() => resolve(response));
          },
          (error: unknown) => answer(() => reject(error)),
        );
      });
    });
  }

  #wayMs(): number {
    const { weather, random } = this.#options;
    const share = random.next();
    // Most are quick; now and then one is slow enough for others to overtake it.
    return Math.min(LONGEST_WAY_MS, 1 + weather.latencyMs * (share < 0.95 ? share * 0.3 : share));
  }

  /** Undefined: no answer ever comes. */
  async #arrive({ client, request, signal, onArrived }: Sent): Promise<TransportResponse | undefined> {
    const { server, weather, machine } = this.#options;
    if (weather.outage) throw new TransportError("refused", "connection refused", false);
    const facts = factsOf(request);
    const refused = refusalOf(weather.refusals, facts);
    if (refused !== undefined)
      return plainResponse(refused.code, { "content-type": "application/json" }, refused.body);
    const fate = this.#fateOf(facts);
    if (fate !== undefined && !isAmbiguous(fate)) return failed(fate);
    if (facts.verb === "watch") return machine.isDead ? undefined : this.#openWatch(facts, request, signal);
    this.#options.onArriving(client);
    const response = await server.send(this.#maybeStale(facts, request));
    const answer = withoutHidden(weather.refusals, facts, await response.json());
    if (isWrite(facts)) {
      const ambiguous = isAmbiguous(fate) || machine.isDead || signal?.aborted === true;
      onArrived({ facts, request, client, status: response.status, answer, ambiguous });
    }
    if (fate !== undefined) return failed(fate);
    if (response.status < 300) this.#options.onShown(answer);
    return this.#answerOf(facts, response, answer);
  }

  #fateOf(facts: RequestFacts): Fate | undefined {
    const { weather, random } = this.#options;
    if (weather.errorShare === 0 || random.next() >= weather.errorShare) return undefined;
    const fate = weather.errorFates[randomBelow(random, weather.errorFates.length)];
    if (isWrite(facts)) return fate;
    // A read has no effect, and is in conflict with nothing.
    return fate === undefined || fate === "409" || isAmbiguous(fate) ? "500 before" : fate;
  }

  #maybeStale(facts: RequestFacts, request: TransportRequest): TransportRequest {
    if (facts.verb !== "list" || request.query?.get("resourceVersion") !== "0") return request;
    const version = this.#options.staleVersion();
    if (version === undefined) return request;
    const query = new URLSearchParams(request.query);
    query.set("resourceVersion", version);
    query.set("resourceVersionMatch", "Exact");
    return { ...request, query };
  }

  async #openWatch(
    facts: RequestFacts,
    request: TransportRequest,
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse> {
    const { server, clock, weather, machine } = this.#options;
    const response = await server.send(request);
    if (response.status !== 200) return response;
    const arrivalMs = (): number =>
      Math.max(clock.monotonicMs() + this.#wayMs(), weather.lagUntilMs.get(facts.resource) ?? 0);
    const pipe = new WatchPipe({
      source: spoilt(weather.refusals, facts.resource, response.documents()),
      clock,
      arrivalMs,
      deliver: (callback) => machine.deliver(callback),
      onTaken: this.#onTaken(facts.resource, request),
    });
    this.#pipes.add(pipe);
    const onAbort = (): void => pipe.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#forget.add(() => signal?.removeEventListener("abort", onAbort));
    if (signal?.aborted === true) onAbort();
    return { ...plainResponse(response.status, response.headers, undefined), documents: () => pipe };
  }

  #onTaken(resource: string, request: TransportRequest): (frame: Frame) => void {
    const { onSeen, onShown } = this.#options;
    const guard = orderGuard(resource, request, onSeen);
    return (frame) => {
      if (!READABLE.has(frame.type) || frame.object === undefined) return;
      onShown(frame.object);
      guard(frame);
    };
  }

  #answerOf(facts: RequestFacts, response: TransportResponse, answer: unknown): TransportResponse {
    // Lists of one namespace are not for caches: the namespace controller looks for what is left with them.
    if (facts.verb === "list" && facts.namespace === "" && response.status === 200) {
      const version = (answer as { metadata?: { resourceVersion?: string } }).metadata?.resourceVersion;
      this.#options.onSeen(facts.resource, version ?? "0");
    }
    return plainResponse(response.status, response.headers, answer);
  }
}

export class OrderError extends Error {
  readonly code = "WatchOrder";
}

/** Every event of a watch must have a later version than the one before; those of the initial state have none. */
function orderGuard(
  resource: string,
  { query }: TransportRequest,
  onSeen: WireOptions["onSeen"],
): (frame: Frame) => void {
  let initial = query?.get("sendInitialEvents") === "true" || !query?.get("resourceVersion");
  let last = 0;
  return ({ type, object }) => {
    const version = Number(object?.metadata?.resourceVersion ?? 0);
    if (type === "ERROR") return;
    if (initial && type !== "BOOKMARK") return;
    initial = false;
    if (version < last || (version === last && type !== "BOOKMARK"))
      throw new OrderError(`${resource}: version ${version} follows ${last} in one watch`);
    last = version;
    onSeen(resource, String(version));
  };
}

function failed(fate: Fate): TransportResponse {
  if (fate.startsWith("lost")) throw new TransportError("lost", "the connection broke", true);
  if (fate.startsWith("timeout")) return statusResponse(504, "Timeout", "request did not complete in time");
  if (fate === "429")
    return statusResponse(429, "TooManyRequests", "too many requests", { "retry-after": "1" });
  if (fate === "409") return statusResponse(409, "Conflict", "the object has been modified");
  return statusResponse(500, "InternalError", "etcdserver: leader changed");
}

function statusResponse(
  code: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): TransportResponse {
  const status: Status = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message };
  return plainResponse(code, { "content-type": "application/json", ...headers }, status);
}

function plainResponse(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): TransportResponse {
  return {
    status,
    headers,
    text: async () => JSON.stringify(body),
    json: async () => body,
    items: async (onItem) => {
      // Lists of nothing but metadata say null where they are empty, as the real server's do.
      const { items, ...rest } = body as { items?: readonly unknown[] | null };
      for (const item of items ?? []) onItem(item);
      return rest;
    },
    documents: async function* documents() {
      yield body;
    },
    chunks: async function* chunks() {
      yield Buffer.from(JSON.stringify(body));
    },
    discard: async () => undefined,
  };
}
