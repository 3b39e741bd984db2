import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getEventListeners, once } from "node:events";
import { type AddressInfo, connect, createServer, Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { Transport } from "../transport.ts";
import { type PortForward, portForward, type PortForwardOptions } from "./port-forward.ts";
import { clientsOver, FarEnd } from "./session.test-data.ts";

const pod = { namespace: "n", name: "p" };
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanUp.splice(0)) await each();
});

interface Stage {
  readonly forwarded: PortForward;
  readonly errors: readonly unknown[];
  /** Of the connections so far. */
  readonly ends: readonly FarEnd[];
}

async function stage(
  ports: PortForwardOptions["ports"] = [{ remote: 80 }],
  { signal, upgrade }: { signal?: AbortSignal; upgrade?: Transport["upgrade"] } = {},
): Promise<Stage> {
  const errors: unknown[] = [];
  const ends: FarEnd[] = [];
  const opened: Transport["upgrade"] = async (request) => {
    const end = new FarEnd(request);
    ends.push(end);
    // Both channels begin with the port's number.
    end.say(0, Buffer.from([80, 0]));
    end.say(1, Buffer.from([80]));
    end.say(1, Buffer.from([0]));
    return end;
  };
  const clients = clientsOver({ upgrade: upgrade ?? opened });
  const options = { ports, onError: (error: unknown) => errors.push(error) };
  const forwarded = await portForward(clients, pod, options, signal);
  cleanUp.push(async () => forwarded.close());
  return { forwarded, errors, ends };
}

async function dialled({ ports: [port] }: PortForward): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port: port?.local ?? 0, allowHalfOpen: true });
  socket.on("error", () => undefined);
  cleanUp.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function firstOf(ends: readonly FarEnd[]): Promise<FarEnd> {
  await expect.poll(() => ends.length).toBe(1);
  return ends[0] ?? expect.unreachable();
}

async function listener(port = 0): Promise<Server> {
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function freePort(): Promise<number> {
  const server = await listener();
  const port = portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

/** Fails where somebody else listens on it. */
async function expectFree(port: number): Promise<void> {
  const server = await listener(port);
  server.close();
  await once(server, "close");
}

test("bytes go both ways, on the channel of data, without the number of the port", async () => {
  const { forwarded, ends } = await stage();
  const socket = await dialled(forwarded);
  const end = await firstOf(ends);
  expect(end.path).toBe("/api/v1/namespaces/n/pods/p/portforward?ports=80");
  socket.write("question");
  await expect.poll(() => end.heard.join()).toBe("\0question");
  end.say(0, "answer");
  expect(String((await once(socket, "data"))[0])).toBe("answer");
});

test("when the pod ends its side the connection ends, whether or not the other side is ended as well", async () => {
  const { forwarded, ends, errors } = await stage();
  const socket = await dialled(forwarded);
  socket.resume();
  const end = await firstOf(ends);
  end.end();
  await once(socket, "end");
  await expect.poll(() => end.isClosed).toBe(true);
  expect(errors).toEqual([]);
});

test("all that the pod has said before its end arrives", async () => {
  const { forwarded, ends } = await stage();
  const socket = await dialled(forwarded);
  const end = await firstOf(ends);
  const length = 16 << 20;
  end.say(0, Buffer.alloc(length));
  end.end();
  let received = 0;
  for await (const chunk of socket as AsyncIterable<Buffer>) received += chunk.length;
  expect(received).toBe(length);
});

test("when the connection here ends the pod hears of it", async () => {
  const { forwarded, ends, errors } = await stage();
  const socket = await dialled(forwarded);
  const end = await firstOf(ends);
  socket.end();
  await end.gone;
  expect([end.isClosed, errors]).toEqual([true, []]);
});

test("what the pod's node says against it is told, and ends the connection", async () => {
  const { forwarded, ends, errors } = await stage();
  const socket = await dialled(forwarded);
  socket.resume();
  const end = await firstOf(ends);
  end.say(1, "connection refused");
  await once(socket, "end");
  await end.gone;
  expect(errors.map(String)).toEqual(["Error: the pod's node says: connection refused"]);
});

test("a connection that cannot be forwarded is ended, and told of", async () => {
  const refusal = { status: 403, headers: {}, text: "not you" };
  const { forwarded, errors } = await stage([{ remote: 80 }], { upgrade: async () => refusal });
  const socket = await dialled(forwarded);
  socket.resume();
  await once(socket, "end");
  expect(errors.map(String)).toEqual([expect.stringContaining("not you")]);
});

test("where one port cannot be had, none is kept", async () => {
  const taken = await listener();
  cleanUp.push(() => taken.close());
  const free = await freePort();
  const ports = [
    { remote: 80, local: free },
    { remote: 81, local: portOf(taken) },
  ];
  await expect(stage(ports)).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expectFree(free);
});

test("an abort while ports are being opened leaves none of them open", async () => {
  const free = await freePort();
  const stop = new AbortController();
  const staged = stage([{ remote: 80, local: free }], { signal: stop.signal });
  stop.abort(new Error("stop"));
  await expect(staged).rejects.toThrow("stop");
  await expectFree(free);
});

test("an abort closes the ports and breaks the connections, which nobody is told of", async () => {
  const stop = new AbortController();
  const { forwarded, ends, errors } = await stage([{ remote: 80 }], { signal: stop.signal });
  const socket = await dialled(forwarded);
  socket.resume();
  const end = await firstOf(ends);
  const closed = once(socket, "close");
  stop.abort(new Error("stop"));
  socket.end();
  await Promise.all([closed, end.gone]);
  const [{ local } = { local: 0 }] = forwarded.ports;
  await expect.poll(async () => expectFree(local).catch(String)).toBeUndefined();
  expect(errors).toEqual([]);
});

test("what is closed is not kept by a signal that goes on", async () => {
  const { signal } = new AbortController();
  const { forwarded } = await stage([{ remote: 80 }], { signal });
  await forwarded.close();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a port that fails to accept connections is told of, and goes on", async () => {
  const servers: Server[] = [];
  const onListening = (message: unknown): void => {
    const { server } = message as { readonly server: unknown };
    if (server instanceof Server) servers.push(server);
  };
  subscribe("tracing:net.server.listen:asyncEnd", onListening);
  const { forwarded, errors, ends } = await stage();
  unsubscribe("tracing:net.server.listen:asyncEnd", onListening);
  const failures = [new Error("accept EMFILE"), new Error("accept ENFILE")];
  for (const failure of failures) servers[0]?.emit("error", failure);
  expect(errors).toEqual(failures);
  await dialled(forwarded);
  await firstOf(ends);
});
