import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { parseJson } from "../../pkg/api/wire-json.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";

type Json = Record<string, unknown>;

/** A request of an API server's, as it came. */
export interface Asked {
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Json;
}

/** What is answered; `undefined`: nothing, until the other side gives up. */
export type WebhookAnswer =
  | { readonly status?: number; readonly type?: string; readonly body: unknown }
  | undefined;
export type WebhookHandler = (asked: Asked) => WebhookAnswer | Promise<WebhookAnswer>;

/** A webhook for tests, on loopback, with a certificate of its own authority. */
export class WebhookServer {
  readonly port: number;
  /** PEM, in base64. */
  readonly caBundle: string;
  /** The same of its own certificate. */
  readonly certificate: string;
  readonly #server: Server;
  readonly #handlers: Map<string, WebhookHandler>;

  private constructor(
    server: Server,
    pem: { readonly authority: string; readonly own: string },
    handlers: Map<string, WebhookHandler>,
  ) {
    this.#server = server;
    this.caBundle = Buffer.from(pem.authority).toString("base64");
    this.certificate = Buffer.from(pem.own).toString("base64");
    this.#handlers = handlers;
    this.port = (server.address() as AddressInfo).port;
  }

  /** `hosts` is what its certificate is for. */
  static async start(hosts: readonly string[] = ["127.0.0.1", "localhost"]): Promise<WebhookServer> {
    const authority = await CertificateAuthority.create("webhooks", realClock);
    const { cert, key } = await authority.issue({ commonName: hosts[0] ?? "", hosts: [...hosts] });
    const handlers = new Map<string, WebhookHandler>();
    const server = createServer({ cert, key }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { pathname, search } = new URL(request.url ?? "/", "https://webhook");
        const body = parseJson(Buffer.concat(chunks).toString()) as Json;
        const handler = handlers.get(pathname) ?? nobody;
        const asked = { path: pathname, query: search, headers: request.headers, body };
        void Promise.resolve(handler(asked)).then((answer) => {
          if (answer === undefined) return;
          const { status = 200, type = "application/json", body: given } = answer;
          response.writeHead(status, { "content-type": type });
          response.end(typeof given === "string" ? given : JSON.stringify(given));
        });
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new WebhookServer(server, { authority: authority.cert, own: cert }, handlers);
  }

  url(path: string): string {
    return `https://127.0.0.1:${this.port}${path}`;
  }

  on(path: string, handler: WebhookHandler): void {
    this.#handlers.set(path, handler);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const nobody: WebhookHandler = () => ({ status: 404, body: "nobody is here" });
