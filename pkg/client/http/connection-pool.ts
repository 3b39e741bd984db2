import type { Clock } from "../../clock/clock.ts";
import { abortable } from "../abortable.ts";
import { TransportError } from "../transport.ts";
import type { Endpoint } from "./connect.ts";
import { connect } from "./connect.ts";
import { Connection } from "./connection.ts";
import type { PeerPatience } from "./heartbeat.ts";
import type { TlsMaterial } from "./identity.ts";

export interface PoolOptions {
  readonly clock: Clock;
  readonly patience: PeerPatience;
  /** Where a connection has no pings of its own: calls back once the server has answered anything at all. */
  readonly probe: (onAnswer: () => void) => void;
}

/** The connections of one identity to one endpoint. */
export class ConnectionPool {
  readonly #origin: string;
  readonly #endpoint: Endpoint;
  readonly #options: PoolOptions;
  readonly #connections = new Set<Connection>();
  #opening: Promise<void> | undefined;
  #tls: TlsMaterial | undefined;
  #speaksHttp1 = false;
  #closed = false;

  constructor(server: URL, endpoint: Endpoint, options: PoolOptions) {
    this.#origin = server.origin;
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /**
   * A connection with a place reserved for one request; as many are made as are needed, for a watch must never wait for
   * another one to end. From here on, new ones are made with this material.
   */
  async acquire(tls: TlsMaterial, signal?: AbortSignal): Promise<Connection> {
    for (;;) {
      let settling: Promise<void> | undefined;
      const usable = this.takeUsable(tls);
      if (usable !== undefined) return usable;
      for (const connection of this.#connections) settling ??= connection.settling;
      await abortable(settling ?? (this.#speaksHttp1 ? this.#open() : this.#openOnce()), signal);
    }
  }

  get isOpen(): boolean {
    return this.#connections.size > 0;
  }

  /** One that is there and has a place, which is reserved for one request. */
  takeUsable(tls: TlsMaterial): Connection | undefined {
    this.#adopt(tls);
    this.#refuseWhenClosed();
    for (const connection of this.#connections) {
      if (!connection.usable) continue;
      connection.reserve();
      return connection;
    }
    return undefined;
  }

  /** Makes another one, if there are fewer than so many and none is being made. */
  async grow(most: number, tls: TlsMaterial): Promise<void> {
    this.#adopt(tls);
    if (this.#closed || this.#connections.size >= most) return;
    await this.#openOnce();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const connection of this.#connections) connection.retire();
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new TransportError("closed", "the client is closed", false);
  }

  /** New certificates: connections made with the old ones serve out their requests. */
  #adopt(tls: TlsMaterial): void {
    if (this.#tls === tls) return;
    if (this.#tls !== undefined) for (const connection of this.#connections) connection.retire();
    this.#tls = tls;
  }

  /** Whoever asks meanwhile waits for the same one. */
  async #openOnce(): Promise<void> {
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #open(): Promise<void> {
    const tls = this.#tls ?? {};
    const reconnect = async (): ReturnType<typeof connect> =>
      connect(this.#endpoint, tls, this.#options.clock);
    const connected = await reconnect();
    this.#speaksHttp1 = connected.protocol === "http/1.1";
    const connection: Connection = new Connection(connected, {
      ...this.#options,
      origin: this.#origin,
      reconnect,
      onEnded: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    if (this.#closed || this.#tls !== tls) connection.retire();
  }
}
