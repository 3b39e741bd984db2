import { createServer as createHttp1Server, type IncomingMessage } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Session } from "node:http2";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { HttpTransport } from "../../pkg/client/http/http-transport.ts";
import type { Credentials, Identity, TlsMaterial } from "../../pkg/client/http/identity.ts";
import type { TransportRequest, TransportResponse } from "../../pkg/client/transport.ts";
import { TransportError } from "../../pkg/client/transport.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority, type KeyPair } from "../../pkg/embedded/pki/pki.ts";
import { Relay } from "../harness/relay.ts";
import { SocksServer } from "../harness/socks-server.ts";

type Handler = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

let authority: CertificateAuthority;
let serverPair: KeyPair;
let server: TlsServer;
let sessions: ServerHttp2Session[];
let handler: Handler;
let port: number;
const transports: HttpTransport[] = [];

beforeAll(async () => {
  authority = await CertificateAuthority.create("test", realClock);
  serverPair = await authority.issue({ commonName: "server", hosts: ["127.0.0.1", "api.internal"] });
});

beforeEach(async () => {
  sessions = [];
  handler = (_, response) => void response.end("{}");
  await listen("h2");
});

afterEach(async () => {
  await Promise.all(transports.splice(0).map(async (transport) => transport.close()));
  await stopListening();
});

afterAll(() => expect(transports).toEqual([]));

async function listen(protocol: "h2" | "http/1.1"): Promise<void> {
  const options = { ...serverPair, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
  if (protocol === "h2") {
    const http2 = createSecureServer({ ...options, allowHTTP1: true });
    http2.on("session", (session) => sessions.push(session));
    http2.on("request", (request, response) => handler(request, response));
    server = http2;
  } else {
    const http1 = createHttpsServer(options);
    // What the handlers use of both is alike.
    http1.on("request", (request, response) =>
      handler(request as unknown as Http2ServerRequest, response as unknown as Http2ServerResponse),
    );
    server = http1;
  }
  server.on("secureConnection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
}

const sockets = new Set<{ destroy(): void }>();

async function stopListening(): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  for (const socket of sockets) socket.destroy();
  await closed;
}

const trust = (): TlsMaterial => ({ ca: Buffer.from(authority.cert) });

function identityOf(credentials: () => Credentials, renew: Identity["renew"] = async () => false): Identity {
  return { credentials: async () => credentials(), renew };
}

function transportTo(
  options: {
    port?: number;
    path?: string;
    tls?: TlsMaterial;
    identity?: Identity;
    proxy?: URL;
    http1Only?: boolean;
  } = {},
): HttpTransport {
  const credentials: Credentials = { headers: {}, tls: options.tls ?? trust() };
  const transport = new HttpTransport({
    server: new URL(`https://127.0.0.1:${options.port ?? port}${options.path ?? ""}`),
    identity: options.identity ?? identityOf(() => credentials),
    clock: realClock,
    http1Only: options.http1Only ?? false,
    ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
  });
  transports.push(transport);
  return transport;
}

const GET: TransportRequest = { method: "GET", path: "/x" };
const WATCH: TransportRequest = { ...GET, endless: true };

async function failure(work: Promise<unknown>): Promise<TransportError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  return error as TransportError;
}

/** Reads documents until the stream ends or fails. */
async function drain(
  response: TransportResponse,
  onDocument: (document: unknown) => void = () => undefined,
): Promise<void> {
  for await (const document of response.documents()) onDocument(document);
}

async function until(condition: () => boolean, limitMs = 60_000): Promise<void> {
  const startMs = performance.now();
  while (!condition()) {
    if (performance.now() - startMs > limitMs)
      throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("requests", () => {
  test("carry method, path with prefix and query, headers, and a JSON body", async () => {
    let seen: unknown;
    handler = (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen = { method: request.method, url: request.url, type: request.headers["content-type"], body };
        response.setHeader("Warning", ["a", "b"]);
        response.end('{"ok":true}');
      });
    };
    const response = await transportTo({ path: "/prefix/" }).send({
      method: "PATCH",
      path: "/api/v1/x",
      query: new URLSearchParams({ q: "a b" }),
      headers: { "content-type": "application/merge-patch+json" },
      body: { name: "é" },
    });
    expect(await response.json()).toEqual({ ok: true });
    expect(seen).toEqual({
      method: "PATCH",
      url: "/prefix/api/v1/x?q=a+b",
      type: "application/merge-patch+json",
      body: '{"name":"é"}',
    });
    expect(response).toMatchObject({ status: 200, sentBytes: 13, receivedBytes: 11 });
    expect(response.headers["warning"]).toBe("a, b");
  });

  test("repeat the headers of an identity that have several values", async () => {
    let raw: string[] = [];
    handler = (request, response) => {
      raw = request.rawHeaders;
      response.end("{}");
    };
    const credentials = { headers: { "impersonate-group": ["a", "b"] }, tls: trust() };
    await (await transportTo({ identity: identityOf(() => credentials), http1Only: true }).send(GET)).json();
    const values = raw.filter((_, index) => raw[index - 1] === "impersonate-group");
    expect(values).toEqual(["a", "b"]);
  });

  test("are sent again once after a 401, if the identity has something new", async () => {
    handler = (request, response) => {
      response.statusCode = request.headers.authorization === "Bearer good" ? 200 : 401;
      response.end("{}");
    };
    let current: Credentials = { headers: { authorization: "Bearer bad" }, tls: trust() };
    const renewed: unknown[] = [];
    const identity = identityOf(
      () => current,
      async (rejected) => {
        renewed.push(rejected.headers["authorization"]);
        current = { headers: { authorization: "Bearer good" }, tls: current.tls };
        return true;
      },
    );
    expect((await transportTo({ identity }).send({ ...GET, method: "POST", body: {} })).status).toBe(200);
    expect(renewed).toEqual(["Bearer bad"]);
    const hopeless = identityOf(() => ({ headers: {}, tls: trust() }));
    expect((await transportTo({ identity: hopeless }).send(GET)).status).toBe(401);
  });
});

describe("connections", () => {
  test("one HTTP/2 session serves requests at once; more than 90 streams open another", async () => {
    handler = (_, response) => void response.write('{"type":"ADDED"}\n');
    const transport = transportTo();
    const abort = new AbortController();
    let seen = 0;
    const watches = Array.from({ length: 150 }, async () =>
      drain(await transport.send(WATCH, abort.signal), () => seen++).catch(() => undefined),
    );
    await until(() => seen === 150);
    expect(sessions).toHaveLength(2);
    abort.abort(new Error("stop"));
    await Promise.all(watches);
  });

  test("HTTP/1.1 is spoken where there is nothing else, with any number of watches", async () => {
    await stopListening();
    await listen("http/1.1");
    const versions = new Set<string>();
    handler = (request, response) => {
      versions.add(request.httpVersion);
      response.write('{"type":"ADDED"}\n');
    };
    const transport = transportTo();
    const abort = new AbortController();
    let seen = 0;
    const watches = Array.from({ length: 150 }, async () =>
      drain(await transport.send(WATCH, abort.signal), () => seen++).catch(() => undefined),
    );
    await until(() => seen === 150);
    expect([...versions]).toEqual(["1.1"]);
    handler = (_, response) => void response.end("{}");
    expect((await transport.send(GET)).status).toBe(200);
    abort.abort(new Error("stop"));
    await Promise.all(watches);
  });

  test("after a GOAWAY streams go on to their end, and new requests use a new session", async () => {
    const open: Http2ServerResponse[] = [];
    handler = (_, response) => {
      response.write("1\n");
      open.push(response);
    };
    const transport = transportTo();
    const documents: unknown[] = [];
    const reading = drain(await transport.send(WATCH), (document) => documents.push(document));
    await until(() => documents.length === 1);
    sessions[0]?.goaway();
    await new Promise((resolve) => setTimeout(resolve, 50));
    handler = (_, response) => void response.end("{}");
    await (await transport.send(GET)).json();
    expect(sessions).toHaveLength(2);
    open[0]?.end("2\n");
    await reading;
    expect(documents).toEqual([1, 2]);
  });

  test("new certificates mean new connections, while those in use serve out their requests", async () => {
    const names: string[] = [];
    const open: Http2ServerResponse[] = [];
    handler = (request, response) => {
      const { subject } = (
        request.socket as unknown as { getPeerCertificate(): { subject?: { CN?: string } } }
      ).getPeerCertificate();
      names.push(String(subject?.CN));
      response.write("1\n");
      open.push(response);
    };
    const material = async (commonName: string): Promise<TlsMaterial> => {
      const { cert, key } = await authority.issue({ commonName });
      return { ...trust(), cert: Buffer.from(cert), key: Buffer.from(key) };
    };
    let tls = await material("old");
    const transport = transportTo({ identity: identityOf(() => ({ headers: {}, tls })) });
    const documents: unknown[] = [];
    const reading = drain(await transport.send(WATCH), (document) => documents.push(document));
    await until(() => documents.length === 1);
    tls = await material("new");
    const second = await transport.send(WATCH);
    expect(names).toEqual(["old", "new"]);
    open[0]?.end("2\n");
    open[1]?.end();
    await Promise.all([reading, drain(second)]);
    expect(documents).toEqual([1, 2]);
    await until(() => sessions[0]?.destroyed === true);
    expect(sessions[1]?.destroyed).toBe(false);
  });

  test("a connection that was opened for nobody may break without harm", async () => {
    await until(() => sockets.size === 0);
    const transport = transportTo();
    const abort = new AbortController();
    const sending = expect(transport.send(GET, abort.signal)).rejects.toThrow("stop");
    // Microtasks bring it as far as the TCP connection, which needs the event loop.
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    abort.abort(new Error("stop"));
    await sending;
    await until(() => sockets.size === 1);
    for (const socket of sockets) socket.destroy();
    await until(() => sockets.size === 0);
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
      const target = connect(port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        target.pipe(client).pipe(target);
      });
      client.on("error", () => target.destroy());
      target.on("error", () => client.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = new URL(`http://me:p%40w@127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const transport = transportTo({ proxy: url });
    expect((await transport.send(GET)).status).toBe(200);
    expect(asked).toEqual([`127.0.0.1:${port}`, `Basic ${Buffer.from("me:p@w").toString("base64")}`]);
    expect(sessions).toHaveLength(1);
    await transport.close();
    await new Promise((resolve) => proxy.close(resolve));
    const error = await failure(transportTo({ proxy: url }).send(GET));
    expect(error).toMatchObject({ code: "refused", sent: false });
    expect(error.message).not.toContain("p@w");
  });
});

test.each(["socks5://127.0.0.1", "socks5://me:p%40w@127.0.0.1"])(
  "the proxy %s is asked for a tunnel",
  async (base) => {
    const proxy = await SocksServer.start({ user: "me", password: "p@w", required: base.includes("me") });
    const transport = transportTo({ proxy: new URL(`${base}:${proxy.port}`) });
    expect((await transport.send(GET)).status).toBe(200);
    expect(proxy.targets).toEqual([`127.0.0.1:${port}`]);
    await transport.close();
    const wrong = transportTo({ proxy: new URL(`socks5://me:hush@127.0.0.1:${proxy.port}`) });
    if (base.includes("me")) {
      const error = await failure(wrong.send(GET));
      expect(error).toMatchObject({ code: "refused", sent: false });
      expect(error.message).not.toContain("hush");
    }
    await proxy.stop();
    expect(await failure(transportTo({ proxy: new URL(`${base}:${proxy.port}`) }).send(GET))).toMatchObject({
      code: "refused",
    });
  },
);

describe("aborts and refusals", () => {
  const outcome = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "answered",
      (error: unknown) => error,
    );

  test("requests that are aborted at any moment of their dispatch leave the session in order", async () => {
    const transport = transportTo();
    for (let hops = 0; hops < 40; hops++) {
      const reason = new Error("enough");
      const controllers = Array.from({ length: 4 }, () => new AbortController());
      const requests = controllers.map(async ({ signal }) =>
        outcome(transport.send({ method: "PATCH", path: "/x", body: { hops } }, signal)),
      );
      for (let hop = 0; hop < hops; hop++) await Promise.resolve();
      for (const controller of controllers) controller.abort(reason);
      for (const result of await Promise.all(requests)) expect([reason, "answered"]).toContain(result);
      const response = await transport.send({ method: "GET", path: "/" });
      expect(await response.json()).toEqual({});
    }
  });

  test("a request may be refused when it is about to leave; its place goes to others", async () => {
    const paths: string[] = [];
    handler = (request, response) => {
      paths.push(request.url);
      response.end("{}");
    };
    const transport = transportTo();
    const refusal = new Error("not now");
    const beforeSend = (): void => {
      throw refusal;
    };
    for (let times = 0; times < 200; times++) {
      expect(await outcome(transport.send({ method: "PUT", path: "/refused", beforeSend }))).toBe(refusal);
    }
    await (await transport.send({ method: "GET", path: "/after" })).discard();
    expect(paths).toEqual(["/after"]);
    expect(sessions.length).toBe(1);
  });
});

describe("failures", () => {
  test("nobody listening is `refused`", async () => {
    const closed = port;
    await stopListening();
    expect(await failure(transportTo({ port: closed }).send(GET))).toMatchObject({
      code: "refused",
      sent: false,
    });
    await listen("h2");
  });

  test("an unknown authority and a wrong name are `tls`; tls-server-name and insecure mend them", async () => {
    const send = async (tls: TlsMaterial): Promise<TransportResponse> => transportTo({ tls }).send(GET);
    expect(await failure(send({}))).toMatchObject({ code: "tls", sent: false });
    expect(await failure(send({ ...trust(), serverName: "other.internal" }))).toMatchObject({ code: "tls" });
    expect((await send({ ...trust(), serverName: "api.internal" })).status).toBe(200);
    expect((await send({ insecure: true })).status).toBe(200);
  });

  test("a connection that breaks under a request, or under a body, is `lost`", async () => {
    handler = (request) => request.socket.destroy();
    expect(await failure(transportTo().send(GET))).toMatchObject({ code: "lost", sent: true });
    handler = (request, response) => {
      response.setHeader("content-length", "100");
      response.write('{"a":');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const response = await transportTo().send(GET);
    expect(await failure(response.json())).toMatchObject({ code: "lost" });
  });

  test("a list or a stream that breaks off is an error, even where HTTP/2 reports an orderly end", async () => {
    handler = (request, response) => {
      response.write('{"items":[{"a":1},{"a"');
      setTimeout(() => request.socket.destroy(), 20);
    };
    const items: unknown[] = [];
    await failure((await transportTo().send(GET)).items((item) => items.push(item)));
    expect(items).toEqual([{ a: 1 }]);
    await failure((async () => drain(await transportTo().send(GET)))());
  });

  test("a body that is no JSON is `malformed`", async () => {
    handler = (_, response) => void response.end("hush");
    const error = await failure((await transportTo().send(GET)).json());
    expect(error.code).toBe("malformed");
    expect(error.message).not.toContain("hush");
  });

  test.each(["before the answer", "in the body"])(
    "an abort %s rejects with its reason and ends the stream",
    async (when) => {
      let closed = false;
      let arrived = false;
      handler = (request, response) => {
        arrived = true;
        response.on("close", () => (closed = true));
        if (when === "in the body") response.write("1\n");
        request.resume();
      };
      const abort = new AbortController();
      const reading = (async () => drain(await transportTo().send(WATCH, abort.signal)))();
      const rejected = expect(reading).rejects.toThrow("stop");
      await until(() => arrived);
      abort.abort(new Error("stop"));
      await rejected;
      await until(() => closed);
    },
  );

  test("leaving the loop over a stream ends it", async () => {
    let closed = false;
    handler = (_, response) => {
      response.on("close", () => (closed = true));
      response.write("1\n2\n");
    };
    const response = await transportTo().send(WATCH);
    for await (const document of response.documents()) {
      expect(document).toBe(1);
      break;
    }
    await until(() => closed);
  });

  test.each(["h2", "http/1.1"] as const)(
    "over %s, a frozen peer fails every request on it within 10 s",
    async (protocol) => {
      await stopListening();
      await listen(protocol);
      handler = (_, response) => void response.write("1\n");
      const relay = await Relay.start(port);
      const transport = transportTo({ port: relay.port });
      let seen = 0;
      const codes: string[] = [];
      const watches = Array.from({ length: 40 }, async () =>
        drain(await transport.send(WATCH), () => seen++).catch((error: unknown) =>
          codes.push((error as TransportError).code),
        ),
      );
      await until(() => seen === 40);
      relay.freeze();
      const startMs = performance.now();
      await Promise.all(watches);
      expect(performance.now() - startMs).toBeLessThan(10_000);
      expect(codes).toEqual(Array.from({ length: 40 }, () => "lost"));
      await relay.stop();
    },
  );
});

test("a consumer that does not read holds the server back", async () => {
  const line = `${JSON.stringify({ filler: "x".repeat(10_000) })}\n`;
  let written = 0;
  handler = (_, response) => {
    const write = (): void => {
      while (!response.destroyed && written < 200_000_000) {
        written += line.length;
        if (response.write(line)) continue;
        response.once("drain", write);
        return;
      }
      response.end();
    };
    write();
  };
  const response = await transportTo().send(WATCH);
  const documents = response.documents()[Symbol.asyncIterator]();
  await documents.next();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(written).toBeLessThan(20_000_000);
  await documents.return?.();
});
