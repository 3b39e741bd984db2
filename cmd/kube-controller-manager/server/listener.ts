import { createSecureServer, type Http2SecureServer, type Http2Session } from "node:http2";
import { createServer, type Server } from "node:https";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls";
import { constants } from "node:crypto";
import { certificateFor } from "./tls/named-certificates.ts";

/** What can change while the server runs. */
export interface ServedCertificates {
  readonly main: SecureContextOptions;
  readonly byName: ReadonlyMap<string, SecureContext>;
}

export interface ListenerOptions {
  readonly certificates: ServedCertificates;
  readonly http2: boolean;
  /** 0: the default. */
  readonly maxStreams: number;
  readonly onHandshakeError: (error: Error) => void;
}

const IDLE_MS = 90_000;
/** For the headers of a request, and for the TLS hand-shake as well. */
const READ_HEADER_MS = 32_000;
const MAX_HEADER_BYTES = 1 << 20;
const DEFAULT_MAX_STREAMS = 100;
/** Room for a request body of ours; there are only small ones. */
const STREAM_WINDOW_BYTES = 256 * 1024;
/** Of the names and values of one request, two entries each. */
const MAX_HEADER_PAIRS = 2_000;

/**
 * The HTTPS server under fastify: HTTP/2 for those who ask for it, HTTP/1.1 for all others. Client certificates are asked
 * for and passed on unchecked: the authorities can change while a connection lives, so every request is checked anew.
 */
export class Listener {
  readonly server: Http2SecureServer | Server;
  readonly #sockets = new Set<Socket>();
  readonly #sessions = new Set<Http2Session>();
  #certificates: ServedCertificates;

  constructor(handler: RequestListener, options: ListenerOptions) {
    this.#certificates = options.certificates;
    this.server = this.#createServer(handler, options);
    // Before the hand-shake: a connection on which none follows must be ended, too.
    this.server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    this.server.on("tlsClientError", options.onHandshakeError);
  }

  /** For connections from now on; those that are open keep what they began with. */
  use(certificates: ServedCertificates): void {
    this.server.setSecureContext(withoutTickets(certificates.main));
    this.#certificates = certificates;
  }

  /** Lets HTTP/2 sessions end when their streams do, and idle connections at once. */
  drain(): void {
    for (const session of this.#sessions) session.close();
    if ("closeIdleConnections" in this.server) this.server.closeIdleConnections();
  }

  destroyConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #createServer(handler: RequestListener, options: ListenerOptions): Http2SecureServer | Server {
    const tls = {
      ...withoutTickets(options.certificates.main),
      handshakeTimeout: READ_HEADER_MS,
      requestCert: true,
      rejectUnauthorized: false,
      SNICallback: (name: string, answer: (error: Error | null, context?: SecureContext) => void): void =>
        answer(null, certificateFor(this.#certificates.byName, name)),
    };
    const limits = { headersTimeout: READ_HEADER_MS, keepAliveTimeout: IDLE_MS };
    if (!options.http2) return createServer({ ...tls, ...limits, maxHeaderSize: MAX_HEADER_BYTES }, handler);
    const server = createSecureServer({
      ...tls,
      allowHTTP1: true,
      maxHeaderListPairs: MAX_HEADER_PAIRS,
      settings: {
        maxConcurrentStreams: options.maxStreams > 0 ? options.maxStreams : DEFAULT_MAX_STREAMS,
        maxHeaderListSize: MAX_HEADER_BYTES,
        initialWindowSize: STREAM_WINDOW_BYTES,
      },
    });
    // The server of both versions takes these for HTTP/1.1 as properties only.
    Object.assign(server, limits, { maxHeaderSize: MAX_HEADER_BYTES });
    server.on("request", handler as never);
    server.on("session", (session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      session.setTimeout(IDLE_MS, () => session.close());
    });
    return server;
  }
}

/** A named context with the settings of the server's own. */
export function namedContext(options: SecureContextOptions): SecureContext {
  return createSecureContext(withoutTickets(options));
}

/** A resumed session would lack the intermediate certificates of its client. */
function withoutTickets(options: SecureContextOptions): SecureContextOptions {
  return { ...options, secureOptions: constants.SSL_OP_NO_TICKET };
}
