import type { IncomingMessage, Server } from "node:http";
import { constants, createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { nodeHttp } from "../../client/http/node-http.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import { type ApiServer, statusResponse } from "../server/api-server.ts";
import { DisconnectError } from "../server/faults.ts";
import type { ApiResponse } from "../server/request.ts";
import { StatusError } from "../server/status-error.ts";
import { certificateUser } from "./certificate-user.ts";
import { FrameEncoder } from "./encode.ts";
import { decodeBody, type DecodedBody, readBody } from "./request-body.ts";
import type { HttpRequest, HttpResponse } from "./messages.ts";
import { acceptedType, type MediaType } from "../server/negotiate.ts";
import { PROTOBUF_TYPE } from "../../api/protobuf/decode.ts";
import { isInProtobuf, protobufFrame } from "./encode-protobuf.ts";
import { sendResponse } from "./send-response.ts";
import { answerUpgrade } from "./upgrade.ts";

export interface TlsFiles {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
  /** Client certificates signed by this one name their user; none are asked for when it is left out. */
  readonly clientCa?: string;
}

export interface HttpServerOptions {
  readonly server: ApiServer;
  readonly log?: Logger;
  /** HTTP/2 and HTTP/1.1 over TLS; plain HTTP/1.1 when left out. */
  readonly tls?: TlsFiles;
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
}

/** An ApiServer that listens on a socket. */
export class HttpServer {
  readonly #server: ApiServer;
  readonly #log: Logger;
  readonly #listener: Server | Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #running = new Set<AbortController>();
  readonly #encoders = { json: new FrameEncoder(), protobuf: new FrameEncoder(protobufFrame) };
  readonly #scheme: string;
  #address: AddressInfo | undefined;

  constructor(options: HttpServerOptions) {
    this.#server = options.server;
    this.#log = options.log ?? silentLogger;
    this.#scheme = options.tls === undefined ? "http" : "https";
    this.#listener = makeListener(options.tls, (request, response) => void this.#serve(request, response));
    this.#listener.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      void this.#upgrade(request, socket, head);
    });
    this.#listener.on("connection", (socket: Socket) => this.#track(socket));
    this.#listener.on("secureConnection", (socket: Socket) => this.#track(socket));
  }

  /** Resolves once connections are accepted; rejects when the port is taken. */
  static async start(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options);
    await server.#listen(options.host ?? "127.0.0.1", options.port ?? 0);
    return server;
  }

  get port(): number {
    return this.#address?.port ?? 0;
  }

  get url(): string {
    const host = this.#address?.address ?? "127.0.0.1";
    return `${this.#scheme}://${host.includes(":") ? `[${host}]` : host}:${this.port}`;
  }

  /** Ends watches and connections, and resolves when the port is free. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    for (const controller of this.#running) controller.abort(new Error("the server shuts down"));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #listen(host: string, port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#listener.once("error", reject);
      this.#listener.listen(port, host, () => {
        this.#listener.off("error", reject);
        resolve();
      });
    });
    const address = this.#listener.address();
    this.#address = address !== null && typeof address === "object" ? address : undefined;
  }

  #track(socket: Socket): void {
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // A broken connection concerns nobody but its own requests, which see their response close.
    socket.on("error", () => socket.destroy());
  }

  async #serve(request: HttpRequest, response: HttpResponse): Promise<void> {
    const controller = new AbortController();
    this.#running.add(controller);
    let answered = false;
    response.once("close", () => {
      this.#running.delete(controller);
      if (!answered) controller.abort(new Error("the client went away"));
    });
    try {
      await this.#answer(request, response, controller.signal);
      answered = true;
    } catch (error) {
      if (!(error instanceof DisconnectError) && !controller.signal.aborted)
        this.#log.error(error, "answering a request failed", { path: request.url ?? "" });
      breakOff(request);
    }
  }

  /** A client that wants the connection for itself: with a process of a pod. */
  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const controller = new AbortController();
    this.#running.add(controller);
    try {
      const answer = await this.#handle(request, headOf(request, controller.signal));
      await answerUpgrade(request, { socket, head }, answer, controller.signal);
    } catch (error) {
      if (!(error instanceof DisconnectError) && !controller.signal.aborted)
        this.#log.error(error, "a session failed", { path: request.url ?? "" });
      socket.destroy();
    } finally {
      this.#running.delete(controller);
    }
  }

  async #answer(request: HttpRequest, response: HttpResponse, signal: AbortSignal): Promise<void> {
    const head = headOf(request, signal);
    const pretty = wantsPretty(head.query, head.headers["user-agent"]);
    const answer = await this.#handle(request, head);
    const type = typeOf(head, answer);
    const encoder = type === PROTOBUF_TYPE ? this.#encoders.protobuf : this.#encoders.json;
    const { clock } = this.#server.parts;
    await sendResponse(response, answer, { pretty, type, encoder, clock });
  }

  async #handle(request: HttpRequest, head: RequestHead): Promise<ApiResponse> {
    const bytes = await readBody(request);
    if (bytes === undefined) return statusResponse(requestTooLarge);
    let decoded: DecodedBody;
    try {
      decoded = decodeBody(bytes, head.headers["content-type"]);
    } catch (error) {
      if (error instanceof StatusError) return statusResponse(error);
      throw error;
    }
    const { body, contentType } = decoded;
    // To be decoded has taken its share, and to be parsed will.
    if (bytes.length >= LARGE_BODY) await this.#server.parts.clock.turn();
    const user = certificateUser(request);
    return this.#server.handle({
      ...head,
      method: request.method ?? "GET",
      headers: contentType === undefined ? head.headers : { ...head.headers, "content-type": contentType },
      ...(body === undefined ? {} : { body }),
      ...(user === undefined ? {} : { user }),
    });
  }
}

const LARGE_BODY = 256 * 1024;

const requestTooLarge = new StatusError(
  413,
  "RequestEntityTooLarge",
  "Request entity too large: limit is 3145728",
);

interface RequestHead {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

function headOf(request: HttpRequest, signal: AbortSignal): RequestHead {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
  return { path, query, headers: plainHeaders(request), signal };
}

type Handler = (request: HttpRequest, response: HttpResponse) => void;

/** As long as clients in Go keep them: who closes a connection first breaks the request that is on its way. */
const IDLE_MS = 90_000;

function makeListener(tls: TlsFiles | undefined, handler: Handler): Server | Http2SecureServer {
  if (tls === undefined)
    return nodeHttp.createServer({ keepAliveTimeout: IDLE_MS, shouldUpgradeCallback }, handler);
  const { cert, key, clientCa } = tls;
  const http1 = { allowHTTP1: true, shouldUpgradeCallback };
  const server = createSecureServer(
    {
      cert,
      key,
      ...http1,
      // The server itself decides what a client without a (valid) certificate may do.
      ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: false }),
      settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 },
    },
    handler,
  );
  server.on("session", (session) => session.setLocalWindowSize(16 << 20));
  // Of connections of HTTP/1.1, which its types do not speak of.
  return Object.assign(server, { keepAliveTimeout: IDLE_MS });
}

/** What else a client would rather speak, such as h2c, it does without. */
function shouldUpgradeCallback({ headers }: IncomingMessage): boolean {
  return ["websocket", "spdy/3.1"].includes(headers.upgrade?.toLowerCase() ?? "");
}

function plainHeaders(request: HttpRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || name.startsWith(":")) continue;
    headers[name] = typeof value === "string" ? value : value.join(", ");
  }
  return { ...headers, ...impersonation(request.rawHeaders) };
}

/** Node.js joins what was sent several times by commas, which these values may hold themselves. */
function impersonation(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? "";
    if (!name.startsWith("impersonate-")) continue;
    const value = rawHeaders[at + 1] ?? "";
    headers[name] = name in headers ? `${headers[name]}\n${value}` : value;
  }
  return headers;
}

/** Objects and lists are written as the client likes them; documents about the server are JSON. */
function typeOf({ path, headers: { accept } }: RequestHead, answer: ApiResponse): MediaType {
  const { headers, body, status } = answer;
  const isPlain = (path.startsWith("/api") || status === 403) && headers["content-type"] === undefined;
  const isObject = body.kind === "object" || body.kind === "list" || body.kind === "watch";
  if (!isObject || !isPlain) return "application/json";
  return acceptedType(accept, status >= 400, isInProtobuf(body));
}

const peopleAgents = /^(curl|Wget|Mozilla)\//;

/** Command line tools and browsers get line breaks unless they say otherwise. */
function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const asked = query.get("pretty");
  if (asked !== null) return asked !== "false" && asked !== "0";
  return peopleAgents.test(userAgent ?? "");
}

/** No answer, or no more of it: the client sees its stream or connection break. */
function breakOff(request: HttpRequest): void {
  if ("stream" in request) request.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else request.socket.destroy();
}
