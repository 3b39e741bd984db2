import { expect, test } from "vitest";
import type { HttpTransport } from "../../pkg/client/http/http-transport.ts";
import type { TlsMaterial } from "../../pkg/client/http/identity.ts";
import type { SingleConnections } from "../../pkg/client/http/short-requests.ts";
import type { TransportRequest } from "../../pkg/client/transport.ts";
import { drain, failure, identityOf, TransportStage } from "../harness/transport-stage.ts";
import { until } from "../harness/until.ts";

const stage = TransportStage.use();

const GET: TransportRequest = { method: "GET", path: "/x" };
const WATCH: TransportRequest = { method: "GET", path: "/watch", endless: true };

/** Each request earns one more. */
const atMost = (most: number): SingleConnections => ({ most, earnedBy: 1 });

/** Holds back what is asked for at /slow until it is called. */
function serve(): { readonly versions: string[]; readonly held: (() => void)[] } {
  const versions: string[] = [];
  const held: (() => void)[] = [];
  stage.handler = (request, response) => {
    versions.push(request.httpVersion);
    if (request.url === "/watch") response.write('{"type":"ADDED"}\n');
    else if (request.url === "/slow") held.push(() => void response.end("{}"));
    else response.end("{}");
  };
  return { versions, held };
}

async function send(transport: HttpTransport, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await (await transport.send(GET)).json();
}

async function watch(transport: HttpTransport, signal: AbortSignal): Promise<void> {
  let seen = 0;
  void drain(await transport.send(WATCH, signal), () => seen++).catch(() => undefined);
  await until("the watch is open", () => seen === 1);
}

test("one at a time they share a connection of HTTP/1.1", async () => {
  const { versions } = serve();
  await send(stage.transportTo({ singleConnections: atMost(2) }), 5);
  expect(versions).toEqual(["1.1", "1.1", "1.1", "1.1", "1.1"]);
  expect([stage.sessions.length, stage.sockets.size]).toEqual([0, 1]);
});

test("beside a watch, which has a session of HTTP/2, they have a connection of their own", async () => {
  const { versions } = serve();
  const transport = stage.transportTo({ singleConnections: atMost(2) });
  const abort = new AbortController();
  await watch(transport, abort.signal);
  await send(transport, 1);
  await until("there is a connection of HTTP/1.1", () => stage.sockets.size === 2);
  await until("it is used", async () => {
    await send(transport, 1);
    return versions.at(-1) === "1.1";
  });
  // The first one did not wait for that.
  expect(versions.slice(0, 2)).toEqual(["2.0", "2.0"]);
  abort.abort(new Error("stop"));
});

test("they have it only when enough of them come", async () => {
  const { versions } = serve();
  const transport = stage.transportTo({ singleConnections: { most: 2, earnedBy: 5 } });
  await send(transport, 4);
  expect(stage.sockets.size).toBe(1);
  await until("there is one", async () => {
    await send(transport, 1);
    return versions.at(-1) === "1.1";
  });
  expect(versions.slice(0, 5)).toEqual(["2.0", "2.0", "2.0", "2.0", "2.0"]);
});

test("too many at a time share a session of HTTP/2, until there have been few for a while", async () => {
  const { versions, held } = serve();
  const transport = stage.transportTo({ singleConnections: atMost(2) });
  await send(transport, 1);
  const slow = Array.from({ length: 10 }, async () =>
    (await transport.send({ ...GET, path: "/slow" })).json(),
  );
  await until("all have come", () => held.length === 10);
  expect(versions.filter((version) => version === "1.1").length).toBeLessThanOrEqual(3);
  expect(stage.sessions).toHaveLength(1);
  for (const answer of held) answer();
  await Promise.all(slow);
  versions.length = 0;
  await send(transport, 5);
  expect(versions).toEqual(["2.0", "2.0", "2.0", "1.1", "1.1"]);
  expect(stage.sockets.size).toBeLessThanOrEqual(3);
});

test("of connections to themselves they have no more than they may", async () => {
  const { held } = serve();
  const transport = stage.transportTo({ singleConnections: atMost(3) });
  const slow = [1, 2, 3].map(async () => (await transport.send({ ...GET, path: "/slow" })).json());
  await until("all have come", () => held.length === 3);
  expect(stage.sockets.size - stage.sessions.length).toBeLessThanOrEqual(3);
  for (const answer of held) answer();
  await Promise.all(slow);
  await send(transport, 5);
  expect(stage.sockets.size - stage.sessions.length).toBeLessThanOrEqual(3);
});

test("a server that speaks HTTP/2 alone serves them all", async () => {
  await stage.relisten("h2 only");
  const { versions } = serve();
  await send(stage.transportTo({ singleConnections: atMost(2) }), 3);
  expect(versions).toEqual(["2.0", "2.0", "2.0"]);
});

test("one that is given up while its connection is made leaves that to the next one", async () => {
  const { versions } = serve();
  const transport = stage.transportTo({ singleConnections: atMost(1) });
  const abort = new AbortController();
  const first = transport.send(GET, abort.signal);
  const reason = new Error("given up");
  abort.abort(reason);
  await expect(first).rejects.toBe(reason);
  await send(transport, 2);
  expect(versions).toEqual(["1.1", "1.1"]);
});

test("new certificates are shown on new connections", async () => {
  serve();
  let tls: TlsMaterial = stage.trust();
  const identity = identityOf(() => ({ headers: {}, tls }));
  const transport = stage.transportTo({ singleConnections: atMost(2), identity });
  await send(transport, 2);
  const [before] = stage.sockets;
  tls = stage.trust();
  await send(transport, 2);
  await until("the old one has gone", () => stage.sockets.size === 1);
  expect([...stage.sockets]).not.toEqual([before]);
});

test("after the server went away they use new connections", async () => {
  const { versions } = serve();
  const transport = stage.transportTo({ singleConnections: atMost(2) });
  await send(transport, 2);
  for (const socket of stage.sockets) socket.destroy();
  await until("it has been noticed", () => stage.sockets.size === 0);
  await until("one gets through", async () => {
    const sent = await transport.send(GET).catch(() => undefined);
    return sent?.status === 200;
  });
  await send(transport, 2);
  expect(new Set(versions)).toEqual(new Set(["1.1"]));
});

test("a client that is closed sends none", async () => {
  const transport = stage.transportTo({ singleConnections: atMost(2) });
  await send(transport, 1);
  await transport.close();
  expect((await failure(transport.send(GET))).code).toBe("closed");
});
