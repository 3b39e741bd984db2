import type { Settings } from "node:http2";
import type { Socket } from "node:net";
import type { Dispatcher } from "undici";
// All of undici is 1 MB, of which this is a third: fetch, caches, mocks and more are left out.
import Client from "undici/lib/dispatcher/client.js";
import type { Clock, Timer } from "../../clock/clock.ts";
import { TransportError } from "../transport.ts";
import type { Connected, Protocol } from "./connect.ts";
import { type Answer, Exchange } from "./exchange.ts";
import { Heartbeat, type PeerPatience } from "./heartbeat.ts";
import { sessionOf } from "./http2-session.ts";

/** The most streams on one HTTP/2 session; a server may allow fewer. What is beyond waits without any sign. */
const MAX_STREAMS = 90;
/**
 * Wider than the 64 KiB of the protocol, so that a large LIST needs no round trip for each of them. What has come and is
 * not read yet is garbage that only a full collection takes away, as it has lived for so long: at 8 MiB a stream, the
 * start on 10,000 pods took 12 MiB more.
 */
const CONNECTION_WINDOW_BYTES = 4 << 20;
const STREAM_WINDOW_BYTES = 512 << 10;

/** API servers close connections that are idle for 90 s; going first avoids a request that meets a closing door. */
const IDLE_LIMIT_MS = 60_000;
/** How long a connection may wait for its first request (all who wanted it have gone). */
const UNUSED_LIMIT_MS = 1_000;
/** A request that was given up after so long, in which not a byte came, puts the connection in doubt. */
const DOUBT_MS = 2_000;

export interface ConnectionOptions {
  readonly origin: string;
  readonly clock: Clock;
  readonly patience: PeerPatience;
  /** Serves the requests that undici itself repeats after a GOAWAY. */
  readonly reconnect: () => Promise<Connected>;
  /** Where there are no pings (HTTP/1.1): asks the server for any answer on another connection. */
  readonly probe: (onAnswer: () => void) => void;
  readonly onEnded: () => void;
}

/**
 * One connection and the requests in flight on it. Once it retires (GOAWAY, a lost socket, new certificates, doubt) it
 * takes no more requests, and ends with its last one.
 */
export class Connection {
  readonly protocol: Protocol;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #heartbeat: Heartbeat;
  readonly #onEnded: () => void;
  /** The socket that was there first, until a request needs it. */
  #unused: Socket | undefined;
  #current: Socket;
  readonly #untaken: Timer;
  #running = 0;
  #retired = false;
  /** One until the server has said how many it allows: requests beyond that would wait behind watches for minutes. */
  #places = 1;
  #settled: boolean;
  #change = Promise.withResolvers<void>();

  constructor(connected: Connected, options: ConnectionOptions) {
    const { clock } = options;
    this.protocol = connected.protocol;
    this.#settled = this.protocol !== "h2";
    this.#clock = clock;
    this.#onEnded = options.onEnded;
    this.#current = connected.socket;
    this.#unused = connected.socket;
    // Until undici takes the socket over, nobody reads from it or hears of its end: it must not lie about for long.
    connected.socket.on("error", () => undefined);
    this.#untaken = clock.setTimer(UNUSED_LIMIT_MS, () => this.retire());
    this.#client = this.#clientOver(options);
    this.#client.on("connect", () => this.#followSettings());
    this.#client.on("disconnect", () => this.retire());
    this.#heartbeat = new Heartbeat(clock, options.patience, {
      bytesRead: () => this.#current.bytesRead,
      ping: (onAnswer) => {
        if (this.protocol === "http/1.1") options.probe(onAnswer);
        else sessionOf(this.#client)?.ping(() => undefined);
      },
      onSilence: () => this.fail(new TransportError("lost", "the API server no longer answers", true)),
    });
  }

  get usable(): boolean {
    return !this.#retired && this.#running < this.#places;
  }

  /** Until the server has said how many requests it takes at once: resolves when that, or a place, may be there. */
  get settling(): Promise<void> | undefined {
    return this.#settled || this.#retired ? undefined : this.#change.promise;
  }

  /** Takes one of its places; the request that takes it, or `release`, must follow. */
  reserve(): void {
    this.#running++;
    this.#heartbeat.start();
  }

  release(): void {
    this.#running--;
    if (this.#running === 0) this.#heartbeat.stop();
    this.#changed();
  }

  /** Sends a request in a place that was reserved; the place is free again when the body has ended. */
  async request(options: Dispatcher.DispatchOptions, signal: AbortSignal | undefined): Promise<Answer> {
    if (signal?.aborted === true) {
      this.release();
      throw signal.reason as Error;
    }
    const [startMs, bytesAtStart] = [this.#clock.monotonicMs(), this.#current.bytesRead];
    const exchange = new Exchange(this.#clock, signal, () => {
      this.release();
      const isSilent = this.#current.bytesRead === bytesAtStart;
      if (signal?.aborted && isSilent && this.#clock.monotonicMs() - startMs >= DOUBT_MS) this.retire();
    });
    this.#client.dispatch(options, exchange);
    return exchange.answer;
  }

  retire(): void {
    if (this.#retired) return;
    this.#end();
    this.#client.close().then(this.#onEnded, this.#onEnded);
  }

  /** Fails every request in flight. */
  fail(reason: Error): void {
    this.#heartbeat.stop();
    this.#end();
    this.#client.destroy(reason).then(this.#onEnded, this.#onEnded);
  }

  #end(): void {
    this.#retired = true;
    this.#untaken.cancel();
    this.#unused?.destroy();
    this.#changed();
  }

  #changed(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  #clientOver({ origin, reconnect }: ConnectionOptions): Client {
    const nextSocket = async (): Promise<Socket> => {
      const socket = this.#unused ?? (await reconnect()).socket;
      this.#unused = undefined;
      this.#untaken.cancel();
      return socket;
    };
    const h2Options = {
      maxConcurrentStreams: MAX_STREAMS,
      // Its pings come whether they are needed or not, and nothing follows from their silence.
      pingInterval: 0,
      connectionWindowSize: CONNECTION_WINDOW_BYTES,
      // undici 8.12 documents settings.initialWindowSize, and reads this.
      initialWindowSize: STREAM_WINDOW_BYTES,
    };
    return new Client(origin, {
      connect: (_, callback) => {
        void (async () => {
          try {
            this.#current = await nextSocket();
          } catch (failure) {
            callback(failure as Error, null);
            return;
          }
          callback(null, this.#current);
        })();
      },
      keepAliveTimeout: IDLE_LIMIT_MS,
      h2Options,
    });
  }

  /** What the server allows may change at any time. One place at least: whoever takes it hears what is wrong. */
  #followSettings(): void {
    sessionOf(this.#client)?.on("remoteSettings", (settings: Settings) => {
      this.#places = Math.max(1, Math.min(MAX_STREAMS, settings.maxConcurrentStreams ?? MAX_STREAMS));
      this.#settled = true;
      this.#changed();
    });
  }
}
