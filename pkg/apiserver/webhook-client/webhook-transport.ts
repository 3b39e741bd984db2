import { Agent, request } from "node:https";
import { isIP } from "node:net";

/** Where a webhook is, and whom it must prove to be. */
export interface WebhookTarget {
  /** With the path and the query. */
  readonly url: URL;
  /** Where to connect to: a service is somewhere else than its name says. */
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  /** PEM; undefined: the authorities that everybody trusts. */
  readonly ca: string | undefined;
}

export interface WebhookReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** How requests get to webhooks: over the network, or in a simulation to a function. */
export interface WebhookTransport {
  /** Rejects with the signal's reason when that aborts. */
  post(target: WebhookTarget, body: string, signal: AbortSignal): Promise<WebhookReply>;
  close(): void;
}

/** What a webhook may answer at most; more is no answer. */
const MAX_REPLY_BYTES = 3 * 1024 * 1024;

/** HTTPS with connections that are kept for a while. */
export class HttpsWebhookTransport implements WebhookTransport {
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 8 });

  async post(target: WebhookTarget, body: string, signal: AbortSignal): Promise<WebhookReply> {
    const { url, host, port, serverName, ca } = target;
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(signal.aborted ? (signal.reason as Error) : error);
      const sent = request(
        {
          agent: this.#agent,
          method: "POST",
          host,
          port,
          path: url.pathname + url.search,
          headers: {
            host: url.host,
            "content-type": "application/json",
            accept: "application/json, */*",
            "user-agent": "kube-apiserver-admission",
            "content-length": String(Buffer.byteLength(body)),
          },
          // An address is no name to ask for, but the certificate must bear it all the same.
          servername: isIP(serverName) === 0 ? serverName : "",
          // As Go has it, what is named as an authority is one: a certificate that another one has signed, too.
          ...(ca === undefined ? {} : { ca, allowPartialTrustChain: true }),
          signal,
        },
        (response) => {
          const chunks: Buffer[] = [];
          let size = 0;
          response.on("data", (chunk: Buffer) => {
            size += chunk.length;
            if (size > MAX_REPLY_BYTES) response.destroy(new Error("http: response body too large"));
            else chunks.push(chunk);
          });
          response.on("error", fail);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              contentType: response.headers["content-type"] ?? "",
              body: Buffer.concat(chunks).toString(),
            }),
          );
        },
      );
      sent.on("error", fail);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
