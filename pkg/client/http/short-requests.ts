import { abortable } from "../abortable.ts";
import type { Connection } from "./connection.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { TransportError } from "../transport.ts";
import type { TlsMaterial } from "./identity.ts";

/**
 * Beyond so many at a time requests share a session of HTTP/2, which then has several of them in each packet. Measured at a
 * real API server, updates of a small object: one at a time takes 245 µs of the processor there and 150 on a connection of
 * HTTP/1.1, of four at a time each takes 163 and 112, of sixteen 114 and 94.
 */
export const MOST_SINGLE = 8;

export interface ShortRequestsOptions {
  readonly single: ConnectionPool;
  readonly shared: ConnectionPool;
  readonly mostSingle: number;
}

/** Where requests go that are answered at once: as long as there are few, each has an HTTP/1.1 connection to itself. */
export class ShortRequests {
  readonly #single: ConnectionPool;
  readonly #shared: ConnectionPool;
  #most: number;
  #running = 0;
  /** How many have come since there were too many. */
  #calm: number;

  constructor({ single, shared, mostSingle }: ShortRequestsOptions) {
    this.#single = single;
    this.#shared = shared;
    this.#most = mostSingle;
    this.#calm = this.#enough;
  }

  /** A request is to be sent. */
  begin(): void {
    this.#running++;
    this.#calm = this.#running > this.#most ? 0 : this.#calm + 1;
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
    const grown = this.#grow(tls);
    // It can go at once, and leaves the new connection to others, who will hear what is wrong with it.
    const shared = this.#shared.takeUsable(tls);
    if (shared === undefined) await abortable(grown, signal);
    else grown.catch(() => undefined);
    return shared ?? this.#single.takeUsable(tls) ?? this.#shared.acquire(tls, signal);
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

  async close(): Promise<void> {
    await this.#single.close();
  }

  /** Going to and fro between the two costs more than either: answers come together, and for a moment nobody asks. */
  get #enough(): number {
    return 2 * this.#most;
  }
}
