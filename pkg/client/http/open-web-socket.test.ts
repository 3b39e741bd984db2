import { getEventListeners, once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { MessageStream } from "../transport.ts";
import { endpointOf } from "./connect.ts";
import { openWebSocket } from "./open-web-socket.ts";
import { acceptKey, WebSocket } from "./web-socket.ts";

const cleanUp: (() => void)[] = [];
afterEach(() => {
  for (const each of cleanUp.splice(0)) each();
});

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

async function serve(onUpgrade: OnUpgrade | undefined): Promise<URL> {
  const server = createServer((_request, response) => {
    response.writeHead(403, { "content-type": "text/plain" }).end("not you");
  });
  if (onUpgrade !== undefined) server.on("upgrade", onUpgrade);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const opened =
  (onSocket: (socket: Duplex, head: Buffer) => void, protocol = "a"): OnUpgrade =>
  (request, socket, head) => {
    socket.on("error", () => undefined);
    cleanUp.push(() => void socket.destroy());
    const accept = acceptKey(request.headers["sec-websocket-key"] ?? "");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    onSocket(socket, head);
  };

async function open(server: URL, clock: VirtualClock): Promise<MessageStream> {
  const credentials = { headers: {}, tls: {} };
  const peer = { endpoint: endpointOf(server, false), clock, prefix: "", credentials };
  const stream = await openWebSocket(peer, { path: "/exec", protocols: ["a", "b"] });
  if (!("messages" in stream)) throw new Error(`refused with ${stream.status}: ${stream.text}`);
  return stream;
}

test("messages go both ways, in the protocol that the server has chosen", async () => {
  const failures: unknown[] = [];
  const server = await serve(
    opened((socket, head) => {
      const far = new WebSocket(socket, head);
      const answer = async (): Promise<void> => {
        for await (const message of far.messages()) await far.send(Buffer.from(`seen ${message.toString()}`));
      };
      answer().catch((error: unknown) => failures.push(error));
    }, "b"),
  );
  const stream = await open(server, new VirtualClock());
  expect(stream.protocol).toBe("b");
  await stream.send(Buffer.from("x".repeat(70_000)));
  for await (const message of stream.messages()) {
    expect(Buffer.from(message).toString()).toBe(`seen ${"x".repeat(70_000)}`);
    await stream.close();
  }
  expect(failures).toEqual([]);
});

test("the server hears where, with which headers and who asks", async () => {
  let heard: IncomingMessage | undefined;
  const open101 = opened((socket) => socket.resume());
  const server = await serve((request, socket, head) => {
    heard = request;
    open101(request, socket, head);
  });
  const credentials = { headers: { authorization: "Bearer own" }, tls: {} };
  const peer = {
    endpoint: endpointOf(server, false),
    clock: new VirtualClock(),
    prefix: "/behind",
    credentials,
  };
  const query = new URLSearchParams({ command: "ls" });
  const headers = { "user-agent": "tester/1", authorization: "Bearer given", host: "elsewhere" };
  await openWebSocket(peer, { path: "/exec", protocols: ["a", "b"], query, headers });
  expect(heard?.url).toBe("/behind/exec?command=ls");
  expect(heard?.headers).toMatchObject({
    "user-agent": "tester/1",
    authorization: "Bearer own",
    host: server.host,
    "sec-websocket-protocol": "a, b",
    "sec-websocket-version": "13",
  });
});

test("what is no longer to be sent is not sent", async () => {
  let heard = false;
  const server = await serve(() => (heard = true));
  const credentials = { headers: {}, tls: {} };
  const peer = { endpoint: endpointOf(server, false), clock: new VirtualClock(), prefix: "", credentials };
  const beforeSend = (): void => {
    throw new Error("no longer led");
  };
  const asked = openWebSocket(peer, { path: "/exec", protocols: ["a"], beforeSend });
  await expect(asked).rejects.toThrow("no longer led");
  const gone = openWebSocket(peer, { path: "/exec", protocols: ["a"] }, AbortSignal.abort(new Error("gone")));
  await expect(gone).rejects.toThrow("gone");
  expect(heard).toBe(false);
});

test("a server that would not is heard", async () => {
  await expect(open(await serve(undefined), new VirtualClock())).rejects.toThrow("refused with 403: not you");
});

test("a server that answers with another key, or no protocol, is not believed", async () => {
  const server = await serve((_request, socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n");
  });
  await expect(open(server, new VirtualClock())).rejects.toThrow("no WebSocket of this protocol");
});

test("a peer that falls silent is given up; one that answers pings is not", async () => {
  const silent = await serve(opened((socket) => socket.resume()));
  let answering: Duplex | undefined;
  const alive = await serve(
    opened((socket, head) => {
      answering = socket;
      void Array.fromAsync(new WebSocket(socket, head).messages()).catch(() => undefined);
    }),
  );
  const clock = new VirtualClock();
  const [lost, kept] = await Promise.all([open(silent, clock), open(alive, clock)]);
  const outcome = { lost: "open", kept: "open" };
  Array.fromAsync(lost.messages()).catch((error: unknown) => (outcome.lost = String(error)));
  Array.fromAsync(kept.messages()).catch((error: unknown) => (outcome.kept = String(error)));
  const heard = (): number => (answering instanceof Socket ? answering.bytesRead : 0);
  for (let beat = 0; beat < 14; beat++) {
    const before = heard();
    await clock.advanceBy(5_000);
    await expect.poll(heard, { interval: 5 }).toBeGreaterThan(before);
  }
  await expect.poll(() => outcome.lost).toContain("no longer answers");
  expect(outcome.kept).toBe("open");
});

const peerOf = (server: URL): Parameters<typeof openWebSocket>[0] => ({
  endpoint: endpointOf(server, false),
  clock: new VirtualClock(),
  prefix: "",
  credentials: { headers: {}, tls: {} },
});

test("who stops during the hand-shake hears why, and the server that it was given up", async () => {
  const asked = Promise.withResolvers<Duplex>();
  const server = await serve((_request, socket) => {
    socket.on("error", () => undefined).resume();
    cleanUp.push(() => void socket.destroy());
    asked.resolve(socket);
  });
  const stop = new AbortController();
  const opening = openWebSocket(peerOf(server), { path: "/exec", protocols: ["a"] }, stop.signal);
  opening.catch(() => undefined);
  const gone = once(await asked.promise, "end");
  const reason = new Error("stop");
  stop.abort(reason);
  await expect(opening).rejects.toBe(reason);
  await gone;
});

test("a connection that breaks during the hand-shake is a lost one", async () => {
  const server = await serve((_request, socket) => void socket.destroy());
  const opening = openWebSocket(peerOf(server), { path: "/exec", protocols: ["a"] });
  await expect(opening).rejects.toMatchObject({ code: "lost", sent: true });
});

test("the signal of a session breaks it later as well, and is let go with it", async () => {
  const server = await serve(opened((socket) => socket.resume()));
  const stop = new AbortController();
  const stream = await openWebSocket(peerOf(server), { path: "/exec", protocols: ["a"] }, stop.signal);
  if (!("messages" in stream)) throw new Error("refused");
  const reason = new Error("stop");
  const reading = Array.fromAsync(stream.messages());
  reading.catch(() => undefined);
  stop.abort(reason);
  await expect(reading).rejects.toBe(reason);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});

test("a session that has ended is let go by a signal that goes on", async () => {
  const server = await serve(opened((socket) => void socket.end()));
  const { signal } = new AbortController();
  const stream = await openWebSocket(peerOf(server), { path: "/exec", protocols: ["a"] }, signal);
  if (!("messages" in stream)) throw new Error("refused");
  await Array.fromAsync(stream.messages());
  await stream.close();
  await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
});
