import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { nodeHttp } from "../../client/http/node-http.ts";
import { statusResponse } from "../server/api-server.ts";
import type { ApiResponse } from "../server/request.ts";
import { badRequest } from "../server/status-error.ts";
import type { MessageStream } from "../../client/transport.ts";
import { choosePortProtocol, forwardPorts, PORT_PROTOCOL, PORT_TUNNEL } from "./port-session.ts";
import { chooseProtocol, runSession } from "./process-session.ts";
import { encodeWhole } from "./send-response.ts";
import { acceptKey, WebSocket } from "../../client/http/web-socket.ts";
import { writeThrough } from "../../client/http/write-through.ts";

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
  const { body } = answer;
  if (body.kind !== "session" && body.kind !== "ports") return refuse(socket, answer);
  const { upgrade, "sec-websocket-key": key, "sec-websocket-protocol": offered } = request.headers;
  if (body.kind === "ports" && upgrade?.toLowerCase() === "spdy/3.1") {
    switchTo(socket, ["Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${PORT_PROTOCOL}`]);
    return forwardPorts(body.session, wireOf(socket, head), PORT_PROTOCOL, signal);
  }
  const [protocol, known] =
    body.kind === "ports"
      ? [choosePortProtocol(offered), PORT_TUNNEL]
      : [chooseProtocol(offered), "v5.channel.k8s.io"];
  if (key === undefined || protocol === undefined) {
    const message = `unable to upgrade: offer the protocol ${known} or v4.channel.k8s.io`;
    return refuse(socket, statusResponse(badRequest(message)));
  }
  const accepted = `Sec-WebSocket-Accept: ${acceptKey(key)}`;
  switchTo(socket, ["Upgrade: websocket", accepted, `Sec-WebSocket-Protocol: ${protocol}`]);
  const wire = new WebSocket(socket, head);
  if (body.kind === "ports") await forwardPorts(body.session, wire, protocol, signal);
  else await runSession(body.session, wire, signal);
}

function switchTo(socket: Duplex, lines: readonly string[]): void {
  socket.write(
    `${["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", ...lines].join("\r\n")}\r\n\r\n`,
  );
}

/** A connection without messages: bytes as they come. */
function wireOf(socket: Duplex, head: Buffer): MessageStream {
  return {
    protocol: PORT_PROTOCOL,
    async *messages() {
      if (head.length > 0) yield head;
      for await (const chunk of socket as AsyncIterable<Buffer>) yield chunk;
    },
    send: async (data) => writeThrough(socket, data),
    async close() {
      socket.end();
    },
  };
}

function refuse(socket: Duplex, { status, headers, body }: ApiResponse): void {
  if (!("bytes" in body || "text" in body || "list" in body || "value" in body)) {
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
