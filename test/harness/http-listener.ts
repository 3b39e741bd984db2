import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface HeardRequest {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
}

/** An HTTP server on loopback that answers everything with one JSON value, and keeps what was asked. */
export class HttpListener {
  readonly heard: HeardRequest[] = [];
  readonly #server: Server;

  private constructor(answer: (path: string) => unknown) {
    this.#server = createServer((request, response) => {
      this.heard.push({ line: `${request.method} ${request.url}`, headers: request.headers });
      request.resume();
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer(request.url ?? "")));
    });
  }

  static async start(answer: (path: string) => unknown = () => ({})): Promise<HttpListener> {
    const listener = new HttpListener(answer);
    await new Promise<void>((resolve) => listener.#server.listen(0, "127.0.0.1", resolve));
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get lines(): readonly string[] {
    return this.heard.map(({ line }) => line);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A kubeconfig for a server without credentials. */
export function plainKubeconfig(url: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "it",
    contexts: [{ name: "it", context: { cluster: "it", user: "it" } }],
    clusters: [{ name: "it", cluster: { server: url } }],
    users: [{ name: "it", user: {} }],
  });
}
