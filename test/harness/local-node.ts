import { connect as connectTo } from "node:net";
import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { chooseProtocol, runSession } from "../../pkg/apiserver/http/process-session.ts";
import type { Session } from "../../pkg/apiserver/server/request.ts";
import { acceptKey, WebSocket } from "../../pkg/client/http/web-socket.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import { runLocally } from "./local-processes.ts";

/** The lines that every container of a LocalNode has written. */
export const LOG_LINES: readonly string[] = ["first", "zweite Zeile: äöü", "third"];

/** Those lines; whoever follows them gets the first one, and the others, cut anywhere, once they are let go. */
export class ContainerLog {
  #rest = Promise.withResolvers<void>();

  letGo(): void {
    this.#rest.resolve();
  }

  async *read(follow: boolean): AsyncGenerator<Buffer, void, undefined> {
    const bytes = Buffer.from(LOG_LINES.map((line) => `${line}\n`).join(""));
    const end = bytes.indexOf("\n") + 1;
    yield bytes.subarray(0, end);
    if (follow) await this.#rest.promise;
    for (let start = end; start < bytes.length; start += 5) yield bytes.subarray(start, start + 5);
  }
}

/** What a kubelet answers to its API server: all containers run on this machine. It speaks WebSocket, not SPDY. */
export class LocalNode {
  readonly #server: Server;
  readonly #log: ContainerLog;
  readonly #stop = new AbortController();

  private constructor(server: Server, log: ContainerLog) {
    this.#server = server;
    this.#log = log;
    server.on("request", (request, response) => void this.#answerLog(request, response));
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on("error", () => undefined);
      this.#upgrade(request, socket, head).catch(() => socket.destroy());
    });
  }

  static async start(log: ContainerLog): Promise<LocalNode> {
    const authority = await CertificateAuthority.create("kubelet", realClock);
    const { cert, key } = await authority.issue({ commonName: "node", hosts: ["127.0.0.1"] });
    const server = createServer({ cert, key });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    return new LocalNode(server, log);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  async #answerLog(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { searchParams } = new URL(request.url ?? "", "https://node");
    response.setHeader("content-type", "text/plain");
    for await (const chunk of this.#log.read(searchParams.get("follow") === "true")) response.write(chunk);
    response.end();
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "https://node");
    const verb = pathname.split("/")[1];
    const protocol = chooseProtocol(request.headers["sec-websocket-protocol"]) ?? "";
    socket.write(
      [
        "HTTP/1.1 101 Switching Protocols",
        "Upgrade: websocket",
        "Connection: Upgrade",
        `Sec-WebSocket-Accept: ${acceptKey(request.headers["sec-websocket-key"] ?? "")}`,
        `Sec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
      ].join("\r\n"),
    );
    const stream = new WebSocket(socket, head);
    if (verb === "portForward") return forward(stream, Number(searchParams.get("port")));
    const command = verb === "exec" ? searchParams.getAll("command") : ["cat"];
    const session: Session = {
      // A kubelet calls them input, output and error.
      stdin: searchParams.get("input") === "1",
      stdout: searchParams.get("output") === "1",
      stderr: searchParams.get("error") === "1",
      run: async (streams, signal) => runLocally(command, streams, signal),
    };
    await runSession(session, stream, this.#stop.signal);
  }
}

/** Two channels: data and error, each of which begins with the number of the port. */
async function forward(stream: WebSocket, port: number): Promise<void> {
  for (const channel of [0, 1]) await stream.send(Buffer.from([channel, port & 255, port >> 8]));
  const socket = connectTo(port, "127.0.0.1");
  socket.on(
    "error",
    (error) => void stream.send(Buffer.concat([Buffer.from([1]), Buffer.from(error.message)])),
  );
  socket.on("data", (chunk: Buffer) => void stream.send(Buffer.concat([Buffer.from([0]), chunk])));
  socket.on("close", () => void stream.close());
  for await (const message of stream.messages()) if (message[0] === 0) socket.write(message.subarray(1));
  socket.end();
}
