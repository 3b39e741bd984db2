import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { nodeHttp } from "../../client/http/node-http.ts";
import { statusResponse } from "../server/api-server.ts";
import type { ApiResponse } from "../server/request.ts";
import { badRequest } from "../server/status-error.ts";
import { chooseProtocol, runSession } from "./process-session.ts";
import { encodeWhole } from "./send-response.ts";
import { acceptKey, WebSocket } from "../../client/http/web-socket.ts";

/** A connection that is not Node.js's any more, and what has been read of it already. */
interface Connection {
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Opens the session that the server answers with, or sends its answer and closes. Resolves when the connection ends. */
export async function answerUpgrade(
  request: IncomingMessage,
  { socket, head }: Connection,
  answer: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  if (answer.body.kind !== "session") return refuse(socket, answer);
  const key = request.headers["sec-websocket-key"];
  const protocol = chooseProtocol(request.headers["sec-websocket-protocol"]);
  if (key === undefined || protocol === undefined) {
    const message = "unable to upgrade: offer the protocol v5.channel.k8s.io or v4.channel.k8s.io";
    return refuse(socket, statusResponse(badRequest(message)));
  }
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${acceptKey(key)}`,
    `Sec-WebSocket-Protocol: ${protocol}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await runSession(answer.body.session, new WebSocket(socket, head), signal);
}

function refuse(socket: Duplex, { status, headers, body }: ApiResponse): void {
  if (body.kind === "watch" || body.kind === "stream" || body.kind === "session") {
    socket.destroy();
    return;
  }
  const bytes = encodeWhole(body, false);
  const all = { "content-type": "application/json", ...headers };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const head = [`HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? ""}`, ...lines];
  socket.write(`${head.join("\r\n")}\r\ncontent-length: ${bytes.byteLength}\r\nconnection: close\r\n\r\n`);
  socket.end(bytes);
}
