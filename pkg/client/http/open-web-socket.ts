import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../clock/clock.ts";
import {
  type MessageStream,
  TransportError,
  type UpgradeRefusal,
  type UpgradeRequest,
} from "../transport.ts";
import { hostAndPort } from "../url-host.ts";
import { connect, type Endpoint } from "./connect.ts";
import type { Credentials } from "./identity.ts";
import { nodeHttp } from "./node-http.ts";
import { acceptKey, WebSocket } from "./web-socket.ts";

const MOST_REFUSAL_BYTES = 64 * 1024;

/** Often enough for whatever is in between to take the connection for one in use. */
const PING_MS = 5_000;
/** upstream: client-go/tools/remotecommand/websocket.go#newWebSocketExecutor */
const MOST_SILENCE_MS = 60_000;

export interface Peer {
  readonly endpoint: Endpoint;
  readonly clock: Clock;
  /** In front of all paths. */
  readonly prefix: string;
  readonly credentials: Credentials;
}

/** Asks for a WebSocket on a connection that is made for it; HTTP/2 has none that API servers speak. */
export async function openWebSocket(
  { endpoint, clock, prefix, credentials }: Peer,
  request: UpgradeRequest,
  signal?: AbortSignal,
): Promise<MessageStream | UpgradeRefusal> {
  const { socket } = await connect({ ...endpoint, http1Only: true }, credentials.tls, clock);
  try {
    signal?.throwIfAborted();
    request.beforeSend?.();
  } catch (refusal) {
    socket.destroy();
    throw refusal;
  }
  const key = randomBytes(16).toString("base64");
  const headers = {
    ...request.headers,
    ...credentials.headers,
    host: hostAndPort(endpoint.host, endpoint.port),
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": key,
    "sec-websocket-protocol": request.protocols.join(", "),
  };
  const query = request.query === undefined ? "" : `?${request.query.toString()}`;
  const opened = await handshake(socket, { path: prefix + request.path + query, headers, key }, signal);
  if (opened instanceof WebSocket) keepAlive(opened, socket, clock);
  return opened;
}

/** A peer that does not even answer pings is gone. What waits here to be read is a sign of life, too. */
function keepAlive(stream: WebSocket, socket: Socket, clock: Clock): void {
  let [bytes, heardMs] = [socket.bytesRead, clock.monotonicMs()];
  const beat = (): void => {
    if (socket.bytesRead !== bytes || socket.readableLength > 0)
      [bytes, heardMs] = [socket.bytesRead, clock.monotonicMs()];
    if (clock.monotonicMs() - heardMs >= MOST_SILENCE_MS) {
      socket.destroy(new TransportError("lost", "the API server no longer answers", true));
      return;
    }
    // A failure shows where messages are read.
    stream.ping().catch(() => undefined);
    timer = clock.setTimer(PING_MS, beat);
  };
  let timer = clock.setTimer(PING_MS, beat);
  socket.once("close", () => timer.cancel());
}

interface Asked {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly key: string;
}

async function handshake(
  socket: Socket,
  { path, headers, key }: Asked,
  signal: AbortSignal | undefined,
): Promise<WebSocket | UpgradeRefusal> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => void socket.destroy(signal?.reason as Error);
    signal?.addEventListener("abort", onAbort, { once: true });
    socket.once("close", () => signal?.removeEventListener("abort", onAbort));
    const fail = (cause: unknown): void => {
      socket.destroy();
      if (signal?.aborted === true) reject(signal.reason as Error);
      else
        reject(new TransportError("lost", `the connection broke: ${(cause as Error).message}`, true, cause));
    };
    const asked = nodeHttp.request({
      createConnection: () => socket,
      path,
      headers: headers as Record<string, string | string[]>,
    });
    asked.once("error", fail);
    asked.once("upgrade", ({ headers: answer }, _, head) => {
      const protocol = answer["sec-websocket-protocol"];
      if (answer["sec-websocket-accept"] !== acceptKey(key) || protocol === undefined) {
        socket.destroy();
        reject(new TransportError("malformed", "the server has opened no WebSocket of this protocol", true));
        return;
      }
      // Whoever reads hears of a broken connection by the end of the messages.
      socket.on("error", () => undefined);
      resolve(new WebSocket(socket, head, "client", protocol));
    });
    asked.once("response", (response) => {
      refusalOf(response)
        .then(resolve, fail)
        .finally(() => socket.destroy());
    });
    asked.end();
  });
}

async function refusalOf(response: IncomingMessage): Promise<UpgradeRefusal> {
  let text = "";
  for await (const chunk of response as AsyncIterable<Buffer>) {
    text += chunk.toString("utf8");
    if (text.length > MOST_REFUSAL_BYTES) break;
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, [value].flat().join(", ")]);
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    text,
  };
}
