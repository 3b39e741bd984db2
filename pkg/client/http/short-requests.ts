import type { Clock } from "../../clock/clock.ts";
import { abortable } from "../abortable.ts";
import { TransportError } from "../transport.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { TlsMaterial } from "./identity.ts";

/**
 * Connections of HTTP/1.1 beside those of HTTP/2. An update of a small object at a real API server, one at a time, takes
 * 150 µs of the processor there instead of 245, of four at a time each 112 instead of 163. Of more they share a session,
 * which then has several of them in each packet: of fifty each takes 94 there, and 112 here. The memory that they take
 * (undici's parser alone 2 MiB) is well spent only where there is work.
 */
export interface SingleConnections {
  /** Beyond so many at a time requests share a session of HTTP/2. */
  readonly most: number;
  /** So many requests have to come in half a minute before there is one more. */
  readonly earnedBy: number;
}

export const SINGLE_CONNECTIONS: SingleConnections = { most: 8, earnedBy: 256 };
export const NO_SINGLE_CONNECTIONS: SingleConnections = { most: 0, earnedBy: Infinity };

const WINDOW_MS = 30_000;

export interface ShortRequestsOptions {
  readonly single: ConnectionPool;
  readonly shared: ConnectionPool;
  readonly limits: SingleConnections;
  readonly clock: Clock;
}

/** Where requests go that are answered at once: where there are many, but few at a time, each has a connection to itself. */
export class ShortRequests {
  readonly #single: ConnectionPool;
  readonly #shared: ConnectionPool;
  readonly #clock: Clock;
  readonly #earnedBy: number;
  #most: number;
  #running = 0;
  /** How many have come since there were too many at a time. */
  #calm: number;
  /** How many have come since this time. */
  #come = 0;
  #sinceMs: number;

  constructor({ single, shared, limits, clock }: ShortRequestsOptions) {
    this.#single = single;
    this.#shared = shared;
    this.#clock = clock;
    this.#earnedBy = limits.earnedBy;
    this.#most = limits.most;
    this.#calm = this.#enough;
    this.#sinceMs = clock.monotonicMs();
  }

  /** A request is to be sent. */
  begin(): void {
    this.#running++;
    this.#calm = this.#running > this.#most ? 0 : this.#calm + 1;
    if (this.#clock.monotonicMs() - this.#sinceMs > WINDOW_MS) this.#countAnew();
    this.#come++;
  }

  /** It has been answered, or will never be. */
  end(): void {
    this.#running--;
  }

  /** A connection with a place reserved for one request. From here on, new ones are made with this material. */
  async acquire(tls: TlsMaterial, signal?: AbortSignal): Promise<Connection> {
    if (this.#calm < this.#enough) return this.#shared.acquire(tls, signal);
    const single = this.#single.takeUsable(tls);
    if (single !== undefined) return single;
    if (this.#come < this.#earnedBy) return this.#shared.acquire(tls, signal);
    this.#countAnew();
    const grown = this.#grow(tls);
    // It can go at once, and leaves the new connection to others, who will hear what is wrong with it.
    const shared = this.#shared.takeUsable(tls);
    if (shared === undefined) await abortable(grown, signal);
    else grown.catch(() => undefined);
    return shared ?? this.#single.takeUsable(tls) ?? this.#shared.acquire(tls, signal);
  }

  async close(): Promise<void> {
    await this.#single.close();
  }

  #countAnew(): void {
    this.#come = 0;
    this.#sinceMs = this.#clock.monotonicMs();
  }

  /** Some proxies speak HTTP/2 alone: where there is a session, and nothing else can be had, that is not tried again. */
  async #grow(tls: TlsMaterial): Promise<void> {
    try {
      await this.#single.grow(this.#most, tls);
    } catch (failure) {
      if (!(failure instanceof TransportError) || failure.code !== "tls") throw failure;
      if (this.#shared.isOpen) this.#most = 0;
    }
  }

  /** Going to and fro between the two costs more than either: answers come together, and for a moment nobody asks. */
  get #enough(): number {
    return 2 * this.#most;
  }
}
