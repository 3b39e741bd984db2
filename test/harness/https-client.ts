import { connect, constants } from "node:http2";
import { type Agent, request } from "node:https";
import type { KeyPair } from "../../pkg/pki/certificate-authority.ts";

export interface Ask {
  readonly port: number;
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly client?: KeyPair | undefined;
  /** Host name to ask for in the hand-shake. */
  readonly serverName?: string;
  readonly maxVersion?: "TLSv1.2";
  /** For requests that share connections; none when left out. */
  readonly agent?: Agent;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Common name of the server's certificate. */
  readonly servedBy: string;
}

/** One HTTPS request over HTTP/1.1. The server's certificate is not checked. */
export async function ask(wanted: Ask): Promise<Answer> {
  const { port, path, method = "GET", headers = {}, client, serverName, maxVersion } = wanted;
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: wanted.host ?? "127.0.0.1",
        port,
        path,
        method,
        headers,
        agent: wanted.agent ?? false,
        rejectUnauthorized: false,
        ...(client === undefined ? {} : { cert: client.cert, key: client.key }),
        ...(serverName === undefined ? {} : { servername: serverName }),
        ...(maxVersion === undefined ? {} : { maxVersion }),
      },
      (response) => {
        const chunks: Buffer[] = [];
        const socket = response.socket as typeof response.socket & {
          getPeerCertificate(): { subject?: { CN?: string } };
        };
        const servedBy = socket.getPeerCertificate().subject?.CN ?? "";
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
            servedBy,
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(wanted.body);
  });
}

/** One connection of HTTP/2. */
export interface Http2Client {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  readonly isClosed: () => boolean;
  close(): void;
}

export function http2Client(port: number, client?: KeyPair): Http2Client {
  const session = connect(`https://127.0.0.1:${port}`, {
    rejectUnauthorized: false,
    ...(client === undefined ? {} : { cert: client.cert, key: client.key }),
  });
  // A connection that fails fails its requests, which is where tests look.
  session.on("error", () => undefined);
  return {
    get: async (path, headers = {}) =>
      new Promise((resolve, reject) => {
        const stream = session.request({ [constants.HTTP2_HEADER_PATH]: path, ...headers });
        let received: Record<string, string | string[] | undefined> = {};
        const chunks: Buffer[] = [];
        stream.on("response", (head) => {
          received = { ...head };
        });
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("error", reject);
        stream.on("end", () => {
          const status = Number(received[":status"]);
          if (Number.isNaN(status)) {
            reject(new Error("the connection ended before the answer"));
            return;
          }
          resolve({
            status,
            headers: received,
            body: Buffer.concat(chunks).toString(),
            servedBy: "",
          });
        });
        stream.end();
      }),
    isClosed: () => session.closed || session.destroyed,
    close: () => session.destroy(),
  };
}
