import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { PeerPatience } from "../../pkg/client/http/heartbeat.ts";
import { HttpTransport } from "../../pkg/client/http/http-transport.ts";
import type { Credentials, Identity, TlsMaterial } from "../../pkg/client/http/identity.ts";
import { NO_SINGLE_CONNECTIONS, type SingleConnections } from "../../pkg/client/http/short-requests.ts";
import type { TransportResponse } from "../../pkg/client/transport.ts";
import { TransportError } from "../../pkg/client/transport.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority, type KeyPair } from "../../pkg/pki/certificate-authority.ts";

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;
export type Protocol = "h2" | "http/1.1";

export interface StageTransport {
  readonly port?: number;
  readonly path?: string;
  readonly tls?: TlsMaterial;
  readonly identity?: Identity;
  readonly proxy?: URL;
  readonly http1Only?: boolean;
  readonly clock?: Clock;
  readonly patience?: PeerPatience;
  /** None, unless a test asks for them. */
  readonly singleConnections?: SingleConnections;
}

/** A server over TLS that answers as each test says, new for each, and transports to it that are closed after each. */
export class TransportStage {
  readonly sockets = new Set<{ destroy(): void }>();
  /** HTTP/2 only. */
  sessions: ServerHttp2Session[] = [];
  port = 0;
  handler: Handler = () => undefined;
  readonly #transports: HttpTransport[] = [];
  #authority: CertificateAuthority | undefined;
  #pair: KeyPair | undefined;
  #server: TlsServer | undefined;

  /** To be called at the top of a test file. */
  static use(): TransportStage {
    const stage = new TransportStage();
    beforeAll(async () => {
      stage.#authority = await CertificateAuthority.create("test", realClock);
      stage.#pair = await stage.#authority.issue({
        commonName: "server",
        hosts: ["127.0.0.1", "::1", "api.internal"],
      });
    });
    beforeEach(async () => {
      stage.sessions = [];
      stage.handler = (_, response) => void response.end("{}");
      await stage.listen("h2");
    });
    afterEach(async () => {
      await Promise.all(stage.#transports.splice(0).map(async (transport) => transport.close()));
      await stage.stopListening();
    });
    afterAll(() => expect(stage.#transports).toEqual([]));
    return stage;
  }

  get authority(): CertificateAuthority {
    if (this.#authority === undefined) throw new Error("the stage is not set up yet");
    return this.#authority;
  }

  /** Of the server, in PEM. */
  get certificate(): string {
    if (this.#pair === undefined) throw new Error("the stage is not set up yet");
    return this.#pair.cert;
  }

  /** `maxConcurrentStreams`: what the server allows on each HTTP/2 session. */
  async listen(protocol: Protocol | "h2 only", maxConcurrentStreams?: number): Promise<void> {
    const options = { ...this.#pair, ca: this.authority.cert, requestCert: true, rejectUnauthorized: false };
    if (protocol !== "http/1.1") {
      const settings = maxConcurrentStreams === undefined ? {} : { maxConcurrentStreams };
      const http2 = createSecureServer({ ...options, allowHTTP1: protocol === "h2", settings });
      http2.on("session", (session) => this.sessions.push(session));
      http2.on("request", (request, response) => this.handler(request, response));
      this.#server = http2;
    } else {
      const http1 = createHttpsServer(options);
      // What the handlers use of both is alike.
      http1.on("request", (request, response) =>
        this.handler(request as unknown as Http2ServerRequest, response as unknown as Http2ServerResponse),
      );
      this.#server = http1;
    }
    const server = this.#server;
    server.on("secureConnection", (socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
  }

  async stopListening(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  async relisten(protocol: Protocol | "h2 only", maxConcurrentStreams?: number): Promise<void> {
    await this.stopListening();
    await this.listen(protocol, maxConcurrentStreams);
  }

  trust(): TlsMaterial {
    return { ca: Buffer.from(this.authority.cert) };
  }

  transportTo(options: StageTransport = {}): HttpTransport {
    const { port = this.port, path = "", tls = this.trust(), clock = realClock, ...rest } = options;
    const credentials: Credentials = { headers: {}, tls };
    const transport = new HttpTransport({
      server: new URL(`https://127.0.0.1:${port}${path}`),
      identity: identityOf(() => credentials),
      clock,
      singleConnections: NO_SINGLE_CONNECTIONS,
      ...rest,
    });
    this.#transports.push(transport);
    return transport;
  }
}

export function identityOf(
  credentials: () => Credentials,
  renew: Identity["renew"] = async () => false,
): Identity {
  return { credentials: async () => credentials(), renew };
}

export async function failure(work: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  return error as TransportError;
}

/** Reads documents until the stream ends or fails. */
export async function drain(
  response: TransportResponse,
  onDocument: (document: unknown) => void = () => undefined,
): Promise<void> {
  for await (const document of response.documents()) onDocument(document);
}
