import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
// All of undici is 1 MB, of which this is a third: fetch, caches, mocks and more are left out.
import Client from "undici/lib/dispatcher/client.js";
import type { Clock, Timer } from "../../clock/clock.ts";
import { TransportError } from "../transport.ts";
import type { Connected, Protocol } from "./connect.ts";
import { type Answer, Exchange } from "./exchange.ts";
import { Heartbeat, PING_INTERVAL_MS } from "./heartbeat.ts";

/** API servers allow 100 streams or more per HTTP/2 session; what is beyond waits without any sign. */
const MAX_STREAMS = 90;
/** Wide windows let a large LIST through without a round trip for every 64 KiB. */
const CONNECTION_WINDOW_BYTES = 16 << 20;
const STREAM_WINDOW_BYTES = 8 << 20;

/** API servers close connections that are idle for 90 s; going first avoids a request that meets a closing door. */
const IDLE_LIMIT_MS = 60_000;
/** How long a connection may wait for its first request (all who wanted it have gone). */
const UNUSED_LIMIT_MS = 1_000;

/**
 * One connection and the requests in flight on it. Once it retires (GOAWAY, a lost socket, new certificates) it takes
 * no more requests, and ends with its last one.
 */
export class Connection {
  readonly protocol: Protocol;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #heartbeat: Heartbeat;
  readonly #onEnded: () => void;
  /** The socket that was there first, until a request needs it. */
  #unused: Socket | undefined;
  readonly #untaken: Timer;
  #running = 0;
  #retired = false;

  /** `reconnect` serves the requests that undici itself repeats after a GOAWAY. */
  constructor(
    origin: string,
    connected: Connected,
    reconnect: () => Promise<Connected>,
    clock: Clock,
    onEnded: () => void,
  ) {
    this.protocol = connected.protocol;
    this.#clock = clock;
    this.#onEnded = onEnded;
    let current = connected.socket;
    this.#unused = current;
    // Until undici takes the socket over, nobody reads from it or hears of its end: it must not lie about for long.
    current.on("error", () => undefined);
    this.#untaken = clock.setTimer(UNUSED_LIMIT_MS, () => this.retire());
    const nextSocket = async (): Promise<Socket> => {
      const socket = this.#unused ?? (await reconnect()).socket;
      this.#unused = undefined;
      this.#untaken.cancel();
      return socket;
    };
    this.#client = new Client(origin, {
      connect: (_, callback) => {
        void (async () => {
          try {
            current = await nextSocket();
          } catch (failure) {
            callback(failure as Error, null);
            return;
          }
          callback(null, current);
        })();
      },
      keepAliveTimeout: IDLE_LIMIT_MS,
      h2Options: {
        maxConcurrentStreams: MAX_STREAMS,
        pingInterval: PING_INTERVAL_MS,
        connectionWindowSize: CONNECTION_WINDOW_BYTES,
        settings: { initialWindowSize: STREAM_WINDOW_BYTES },
      },
    });
    this.#client.on("disconnect", () => this.retire());
    this.#heartbeat = new Heartbeat(
      clock,
      () => current.bytesRead,
      () => this.fail(new TransportError("lost", "the API server no longer answers", true)),
    );
  }

  get usable(): boolean {
    return !this.#retired && this.#running < (this.protocol === "h2" ? MAX_STREAMS : 1);
  }

  get idle(): boolean {
    return this.#running === 0;
  }

  /** Takes one of its places; the request that takes it, or `release`, must follow. */
  reserve(): void {
    this.#running++;
    // HTTP/1.1 has no pings: there, silence on a watch is no sign of anything (see PeerProbe).
    if (this.protocol === "h2") this.#heartbeat.start();
  }

  release(): void {
    this.#running--;
    if (this.#running === 0) this.#heartbeat.stop();
  }

  /** Sends a request in a place that was reserved; the place is free again when the body has ended. */
  async request(options: Dispatcher.DispatchOptions, signal: AbortSignal | undefined): Promise<Answer> {
    if (signal?.aborted === true) {
      this.release();
      throw signal.reason as Error;
    }
    const exchange = new Exchange(this.#clock, signal, () => this.release());
    this.#client.dispatch(options, exchange);
    return exchange.answer;
  }

  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#untaken.cancel();
    this.#unused?.destroy();
    this.#client.close().then(this.#onEnded, this.#onEnded);
  }

  /** Fails every request in flight. */
  fail(reason: Error): void {
    this.#heartbeat.stop();
    this.#untaken.cancel();
    this.#unused?.destroy();
    this.#retired = true;
    this.#client.destroy(reason).then(this.#onEnded, this.#onEnded);
  }
}
