import { getEventListeners, once } from "node:events";
import { createServer, Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { dial, ready } from "./dial.ts";
import { connectThroughProxy } from "./proxy.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
});

interface Silent {
  readonly port: number;
  /** Of the connections so far. */
  readonly sockets: readonly Socket[];
}

/** Accepts connections, and never says anything. */
async function silent(): Promise<Silent> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined).resume());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0, sockets };
}

test("a connection that nobody waits for any more is given up, with the reason", async () => {
  const stop = new AbortController();
  const { port } = await silent();
  const dialled = dial("127.0.0.1", port, stop.signal);
  const reason = new Error("too late");
  stop.abort(reason);
  await expect(dialled).rejects.toBe(reason);
  await expect(dial("127.0.0.1", port, stop.signal)).rejects.toBe(reason);
});

test("a connection that closes before it is ready never will be", async () => {
  const { signal } = new AbortController();
  const socket = new Socket();
  const waiting = ready(socket, "secureConnect", signal);
  socket.destroy();
  await expect(waiting).rejects.toThrow("the connection was closed");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("errors that come after somebody has given up do not end the process", async () => {
  const { signal } = new AbortController();
  const socket = new Socket();
  const waiting = ready(socket, "connect", signal);
  socket.emit("error", new Error("first"));
  socket.emit("error", new Error("second"));
  await expect(waiting).rejects.toThrow("first");
  expect(socket.destroyed).toBe(true);
});

test.each(["socks5", "http"])(
  "a %s proxy that never answers is given up, with the reason",
  async (scheme) => {
    const { port, sockets } = await silent();
    const stop = new AbortController();
    const proxy = new URL(`${scheme}://127.0.0.1:${port}`);
    const connecting = connectThroughProxy(proxy, { host: "api", port: 6443 }, stop.signal);
    connecting.catch(() => undefined);
    await expect.poll(() => sockets[0]?.bytesRead).toBeGreaterThan(0);
    const gone = once(sockets[0] ?? expect.unreachable(), "close");
    const reason = new Error("too late");
    stop.abort(reason);
    await expect(connecting).rejects.toBe(reason);
    await gone;
  },
);
