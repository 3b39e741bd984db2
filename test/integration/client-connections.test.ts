import { createServer as createHttp1Server, type IncomingMessage } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { describe, expect, test } from "vitest";
import { HttpTransport } from "../../pkg/client/http/http-transport.ts";
import type { TlsMaterial } from "../../pkg/client/http/identity.ts";
import type { TransportRequest } from "../../pkg/client/transport.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { SocksServer } from "../harness/socks-server.ts";
import { drain, failure, identityOf, TransportStage } from "../harness/transport-stage.ts";
import { until } from "../harness/until.ts";

const stage = TransportStage.use();

const GET: TransportRequest = { method: "GET", path: "/x" };
const STREAM_WINDOW_BYTES = 512 << 10;
const WATCH: TransportRequest = { ...GET, endless: true };

describe("connections", () => {
  test("one HTTP/2 session serves requests at once; more than 90 streams open another", async () => {
    stage.handler = (_, response) => void response.write('{"type":"ADDED"}\n');
    const transport = stage.transportTo();
    const abort = new AbortController();
    let seen = 0;
    const watches = Array.from({ length: 150 }, async () =>
      drain(await transport.send(WATCH, abort.signal), () => seen++).catch(() => undefined),
    );
    await until("seen === 150", () => seen === 150);
    expect(stage.sessions).toHaveLength(2);
    abort.abort(new Error("stop"));
    await Promise.all(watches);
  });

  test.each([1, 10])("where a server allows %i streams, no session has more", async (limit) => {
    await stage.relisten("h2", limit);
    const open = new Map<unknown, number>();
    let most = 0;
    stage.handler = (request, response) => {
      if (request.method === "PUT") {
        response.end("{}");
        return;
      }
      const { session } = request.stream;
      const streams = (open.get(session) ?? 0) + 1;
      open.set(session, streams);
      most = Math.max(most, streams);
      response.on("close", () => open.set(session, (open.get(session) ?? 1) - 1));
      response.write('{"type":"ADDED"}\n');
    };
    const transport = stage.transportTo();
    const abort = new AbortController();
    let seen = 0;
    const watches = Array.from({ length: 35 }, async () =>
      drain(await transport.send(WATCH, abort.signal), () => seen++).catch(() => undefined),
    );
    await until("all watches are open", () => seen === 35, 20_000);
    // Behind the watches, a write would wait for as long as they last.
    expect((await transport.send({ method: "PUT", path: "/y", body: {} })).status).toBe(200);
    expect(most).toBe(limit);
    expect(open.size).toBe(Math.ceil(35 / limit));
    abort.abort(new Error("stop"));
    await Promise.all(watches);
  });

  test("a server that allows fewer streams later is heard", async () => {
    const answers: (() => void)[] = [];
    stage.handler = (request, response) => {
      if (request.url === "/x") answers.push(() => void response.end("{}"));
      else response.end("{}");
    };
    const transport = stage.transportTo();
    const slow = [transport.send(GET), transport.send(GET)];
    await until("two are in flight", () => answers.length === 2);
    await new Promise<void>((resolve) =>
      stage.sessions[0]?.settings({ maxConcurrentStreams: 2 }, () => resolve()),
    );
    expect((await transport.send({ method: "GET", path: "/y" })).status).toBe(200);
    expect(stage.sessions).toHaveLength(2);
    for (const answer of answers) answer();
    await Promise.all(slow);
  });

  test("of what a stream brings, 512 KiB wait for their reader, and nobody else waits for them", async () => {
    const unread: Http2ServerResponse[] = [];
    stage.handler = (request, response) => {
      if (request.url === "/x") unread.push(response);
      else response.end("{}");
    };
    const transport = stage.transportTo();
    const abort = new AbortController();
    const answers = Array.from({ length: 4 }, async () => transport.send(WATCH, abort.signal));
    await until("all watches are asked for", () => unread.length === 4);
    for (const response of unread) response.write(Buffer.alloc(2 << 20));
    await Promise.all(answers);
    const sentBytes = (): number => stage.sessions[0]?.socket.bytesWritten ?? 0;
    await until("all windows are full", () => sentBytes() > unread.length * STREAM_WINDOW_BYTES);
    // What could still be sent would be on its way before this answer.
    for (let i = 0; i < 3; i++)
      expect((await transport.send({ method: "GET", path: "/y" })).status).toBe(200);
    expect(sentBytes()).toBeLessThan(2 * unread.length * STREAM_WINDOW_BYTES);
    expect(stage.sessions).toHaveLength(1);
    expect(stage.sessions[0]?.remoteSettings.initialWindowSize).toBe(STREAM_WINDOW_BYTES);
    abort.abort(new Error("stop"));
  });

  test("a request that is given up before it leaves makes room for the one behind it", async () => {
    const transport = stage.transportTo();
    const refusal = new Error("not now");
    const beforeSend = (): void => {
      throw refusal;
    };
    const first = transport.send({ ...GET, beforeSend }).catch((error: unknown) => error);
    const second = transport.send(GET);
    expect(await first).toBe(refusal);
    expect((await second).status).toBe(200);
    expect(stage.sessions).toHaveLength(1);
  });

  test("HTTP/1.1 is spoken where there is nothing else, with any number of watches", async () => {
    await stage.relisten("http/1.1");
    const versions = new Set<string>();
    stage.handler = (request, response) => {
      versions.add(request.httpVersion);
      response.write('{"type":"ADDED"}\n');
    };
    const transport = stage.transportTo();
    const abort = new AbortController();
    let seen = 0;
    const watches = Array.from({ length: 150 }, async () =>
      drain(await transport.send(WATCH, abort.signal), () => seen++).catch(() => undefined),
    );
    await until("seen === 150", () => seen === 150);
    expect([...versions]).toEqual(["1.1"]);
    stage.handler = (_, response) => void response.end("{}");
    expect((await transport.send(GET)).status).toBe(200);
    abort.abort(new Error("stop"));
    await Promise.all(watches);
  });

  test("after a GOAWAY streams go on to their end, and new requests use a new session", async () => {
    const open: Http2ServerResponse[] = [];
    stage.handler = (_, response) => {
      response.write("1\n");
      open.push(response);
    };
    const transport = stage.transportTo();
    const documents: unknown[] = [];
    const reading = drain(await transport.send(WATCH), (document) => documents.push(document));
    await until("documents.length === 1", () => documents.length === 1);
    stage.sessions[0]?.goaway();
    await new Promise((resolve) => setTimeout(resolve, 50));
    stage.handler = (_, response) => void response.end("{}");
    await (await transport.send(GET)).json();
    expect(stage.sessions).toHaveLength(2);
    open[0]?.end("2\n");
    await reading;
    expect(documents).toEqual([1, 2]);
  });

  test("new certificates mean new connections, while those in use serve out their requests", async () => {
    const names: string[] = [];
    const open: Http2ServerResponse[] = [];
    stage.handler = (request, response) => {
      const { subject } = (
        request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }
      ).getPeerCertificate();
      names.push(String(subject?.CN));
      response.write("1\n");
      open.push(response);
    };
    const material = async (commonName: string): Promise<TlsMaterial> => {
      const { cert, key } = await stage.authority.issue({ commonName });
      return { ...stage.trust(), cert: Buffer.from(cert), key: Buffer.from(key) };
    };
    let tls = await material("old");
    const transport = stage.transportTo({ identity: identityOf(() => ({ headers: {}, tls })) });
    const documents: unknown[] = [];
    const reading = drain(await transport.send(WATCH), (document) => documents.push(document));
    await until("documents.length === 1", () => documents.length === 1);
    tls = await material("new");
    const second = await transport.send(WATCH);
    expect(names).toEqual(["old", "new"]);
    open[0]?.end("2\n");
    open[1]?.end();
    await Promise.all([reading, drain(second)]);
    expect(documents).toEqual([1, 2]);
    await until("sessions[0]?.destroyed === true", () => stage.sessions[0]?.destroyed === true);
    expect(stage.sessions[1]?.destroyed).toBe(false);
  });

  test("a connection that was opened for nobody may break without harm", async () => {
    await until("sockets.size === 0", () => stage.sockets.size === 0);
    const transport = stage.transportTo();
    const abort = new AbortController();
    const sending = expect(transport.send(GET, abort.signal)).rejects.toThrow("stop");
    // Microtasks bring it as far as the TCP connection, which needs the event loop.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    abort.abort(new Error("stop"));
    await sending;
    await until("sockets.size === 1", () => stage.sockets.size === 1);
    for (const socket of stage.sockets) socket.destroy();
    await until("sockets.size === 0", () => stage.sockets.size === 0);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await transport.send(GET)).status).toBe(200);
  });

  test("plain HTTP is spoken where the address says so", async () => {
    const plain = createHttp1Server((request, response) => void response.end(JSON.stringify(request.url)));
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    const transport = new HttpTransport({
      server: new URL(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`),
      identity: identityOf(() => ({ headers: {}, tls: {} })),
      clock: realClock,
    });
    expect(await (await transport.send(GET)).json()).toBe("/x");
    await transport.close();
    await new Promise((resolve) => plain.close(resolve));
  });

  test("a proxy is asked for a tunnel, with its credentials", async () => {
    const asked: unknown[] = [];
    const proxy = createHttp1Server();
    proxy.on("connect", (request: IncomingMessage, client) => {
      asked.push(request.url, request.headers["proxy-authorization"]);
      const target = connect(stage.port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(client).pipe(target);
      });
      client.on("error", () => target.destroy());
      target.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = new URL(`http://me:p%40w@127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const transport = stage.transportTo({ proxy: url });
    expect((await transport.send(GET)).status).toBe(200);
    expect(asked).toEqual([`127.0.0.1:${stage.port}`, `Basic ${Buffer.from("me:p@w").toString("base64")}`]);
    expect(stage.sessions).toHaveLength(1);
    await transport.close();
    await new Promise((resolve) => proxy.close(resolve));
    const error = await failure(stage.transportTo({ proxy: url }).send(GET));
    expect(error).toMatchObject({ code: "refused", sent: false });
    expect(error.message).not.toContain("p@w");
  });
});

test.each(["socks5://127.0.0.1", "socks5://me:p%40w@127.0.0.1"])(
  "the proxy %s is asked for a tunnel",
  async (base) => {
    const proxy = await SocksServer.start({ user: "me", password: "p@w", required: base.includes("me") });
    const transport = stage.transportTo({ proxy: new URL(`${base}:${proxy.port}`) });
    expect((await transport.send(GET)).status).toBe(200);
    expect(proxy.targets).toEqual([`127.0.0.1:${stage.port}`]);
    await transport.close();
    const wrong = stage.transportTo({ proxy: new URL(`socks5://me:hush@127.0.0.1:${proxy.port}`) });
    if (base.includes("me")) {
      const error = await failure(wrong.send(GET));
      expect(error).toMatchObject({ code: "refused", sent: false });
      expect(error.message).not.toContain("hush");
    }
    await proxy.stop();
    expect(
      await failure(stage.transportTo({ proxy: new URL(`${base}:${proxy.port}`) }).send(GET)),
    ).toMatchObject({
      code: "refused",
    });
  },
);

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);
const ipv6Hosts = hasIpv6 ? ["[::1]"] : [];

describe.each(ipv6Hosts)("at %s", (host) => {
  test("a proxy is asked for a tunnel", async () => {
    const proxy = createHttp1Server();
    const sockets = new Set<Duplex>();
    proxy.on("connect", (_, client) => {
      sockets.add(client);
      const target = connect(stage.port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(client).pipe(target);
      });
      client.on("error", () => target.destroy());
      target.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "::1", resolve));
    const transport = stage.transportTo({
      proxy: new URL(`http://${host}:${(proxy.address() as AddressInfo).port}`),
    });
    expect((await transport.send(GET)).status).toBe(200);
    expect(sockets.size).toBe(1);
    await transport.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => proxy.close(resolve));
  });

  test("a SOCKS proxy is asked for a tunnel to an IPv6 address", async () => {
    const proxy = await SocksServer.start({ user: "", password: "", required: false }, "::1");
    const plain = createHttp1Server((_, response) => void response.end("{}"));
    await new Promise<void>((resolve) => plain.listen(0, "::1", resolve));
    const { port } = plain.address() as AddressInfo;
    const transport = new HttpTransport({
      server: new URL(`http://${host}:${port}`),
      identity: identityOf(() => ({ headers: {}, tls: {} })),
      clock: realClock,
      proxy: new URL(`socks5://${host}:${proxy.port}`),
    });
    expect((await transport.send(GET)).status).toBe(200);
    expect(proxy.targets).toEqual([`[::1]:${port}`]);
    await transport.close();
    await proxy.stop();
    plain.closeAllConnections();
    await new Promise((resolve) => plain.close(resolve));
  });
});
