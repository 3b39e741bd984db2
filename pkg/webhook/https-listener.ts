import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { KeyPair } from "../pki/certificate-authority.ts";
import type { Reply } from "./reply.ts";

export interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pair: KeyPair;
  readonly answer: (request: IncomingMessage, signal: AbortSignal) => Promise<Reply>;
}

const HEADERS_LIMIT_MS = 10_000;
const REQUEST_LIMIT_MS = 60_000;
const DRAIN_LIMIT_MS = 10_000;
const OLDEST_TLS = "TLSv1.2";

/** HTTPS on one port, with certificates that can be replaced while it runs. */
export class HttpsListener {
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #sockets = new Set<Socket>();
  readonly #ending = new AbortController();
  #port = 0;

  private constructor({ clock, pair, answer }: ListenerOptions) {
    this.#clock = clock;
    const options = {
      ...pair,
      minVersion: OLDEST_TLS,
      headersTimeout: HEADERS_LIMIT_MS,
      requestTimeout: REQUEST_LIMIT_MS,
    } as const;
    this.#server = createServer(options, (request, response) => {
      void this.#serve(request, response, answer);
    });
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
  }

  /** Resolves once connections are accepted; rejects when the port is taken. */
  static async start(options: ListenerOptions): Promise<HttpsListener> {
    const listener = new HttpsListener(options);
    await new Promise<void>((resolve, reject) => {
      listener.#server.once("error", reject);
      listener.#server.listen(options.port, options.host, () => {
        listener.#server.off("error", reject);
        resolve();
      });
    });
    // It goes on listening, e.g. where the process has too many open files for one more connection.
    listener.#server.on("error", (error) => options.log.error(error, "A connection cannot be accepted"));
    const address = listener.#server.address();
    listener.#port = typeof address === "object" && address !== null ? address.port : options.port;
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  /** For connections from now on. */
  use(pair: KeyPair): void {
    this.#server.setSecureContext({ ...pair, minVersion: OLDEST_TLS });
  }

  /** Takes no more connections, and resolves when those under way are answered or have had their time. */
  async close(): Promise<void> {
    const timer = this.#clock.setTimer(DRAIN_LIMIT_MS, () => {
      this.#ending.abort(new Error("the webhooks end"));
      for (const socket of this.#sockets) socket.destroy();
    });
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    await closed;
    timer.cancel();
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    answer: ListenerOptions["answer"],
  ): Promise<void> {
    const gone = new AbortController();
    const onEnd = (): void => gone.abort(this.#ending.signal.reason);
    this.#ending.signal.addEventListener("abort", onEnd, { once: true });
    response.once("close", () => {
      this.#ending.signal.removeEventListener("abort", onEnd);
      gone.abort(new Error("the API server went away"));
    });
    const { status, body } = await answer(request, gone.signal);
    if (response.destroyed) return;
    const bytes = Buffer.from(JSON.stringify(body));
    // What is left of a body that was not read would be taken for the next request.
    const isRead = request.complete;
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": bytes.length,
      ...(!isRead || !this.#server.listening ? { connection: "close" } : {}),
    });
    response.end(bytes);
  }
}
