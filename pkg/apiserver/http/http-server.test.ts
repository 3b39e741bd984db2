import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, type ClientHttp2Session } from "node:http2";
import { type IncomingMessage, request as httpRequest } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { realClock } from "../../clock/real.ts";
import { seededRandom } from "../../clock/random.ts";
import { CertificateAuthority, type KeyPair } from "../../pki/certificate-authority.ts";
import type { AccessRequest } from "../server/access.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiServer } from "../server/api-server.ts";
import { HttpServer } from "./http-server.ts";

const path = "/api/v1/namespaces/default/configmaps";
const seen: AccessRequest[] = [];
let server: ApiServer;
let http: HttpServer;

function newServer(): ApiServer {
  return embeddedServer({
    clock: realClock,
    random: seededRandom(1),
    authorizer: {
      authorize: async (request) => {
        seen.push(request);
        return { allowed: true };
      },
    },
  });
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

async function answer(sent: ReturnType<typeof httpRequest>, body?: string): Promise<Answer> {
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

async function send(
  method: string,
  target: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const content = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const length = content === undefined ? {} : { "content-length": String(Buffer.byteLength(content)) };
  return answer(httpRequest(http.url + target, { method, headers: { ...length, ...headers } }), content);
}

describe("plain HTTP/1.1", () => {
  beforeEach(async () => {
    server = newServer();
    http = await HttpServer.start({ server });
  });
  afterEach(async () => {
    await http.close();
    await server.close();
  });

  test("JSON in and out; people's tools get line breaks", async () => {
    const created = await send("POST", path, { metadata: { name: "a" } });
    expect([created.status, created.headers["content-type"]]).toEqual([201, "application/json"]);
    const program = await send("GET", `${path}/a`, undefined, { "user-agent": "kubectl/v1.36" });
    expect(program.text.split("\n")).toHaveLength(2);
    const person = await send("GET", `${path}/a`, undefined, { "user-agent": "curl/8" });
    expect(person.text).toContain('\n  "kind": "ConfigMap"');
    const asked = await send("GET", `${path}?pretty=true`);
    expect(JSON.parse(asked.text)).toMatchObject({
      kind: "ConfigMapList",
      items: [{ metadata: { name: "a" } }],
    });
    expect(asked.text).toContain("\n");
  });

  test("a long list arrives whole, its items without kind", async () => {
    const filler = "x".repeat(10_000);
    for (let index = 0; index < 60; index++)
      await send("POST", path, { metadata: { name: `c${index}` }, data: { filler } });
    const { text } = await send("GET", path);
    const list = JSON.parse(text) as {
      readonly kind: string;
      readonly items: readonly { readonly kind?: string }[];
    };
    expect([list.kind, list.items.length, list.items[0]?.kind]).toEqual(["ConfigMapList", 60, undefined]);
    expect(text.length).toBeGreaterThan(600_000);
  });

  test("a body beyond three megabytes is refused", async () => {
    const { status, text } = await send("POST", path, "x".repeat(3 * 1024 * 1024 + 1));
    expect([status, (JSON.parse(text) as { readonly reason: string }).reason]).toEqual([
      413,
      "RequestEntityTooLarge",
    ]);
  });

  test("several warnings are several headers", async () => {
    const body = '{"metadata":{"name":"w"},"one":1,"two":2}';
    const { headers } = await send("POST", path, body);
    expect(headers["warning"]).toBe(String.raw`299 - "unknown field \"one\"", 299 - "unknown field \"two\""`);
  });

  test("a client that leaves ends its watch, and closing the server ends the others", async () => {
    const watching = async (): Promise<IncomingMessage> => {
      const sent = httpRequest(`${http.url}${path}?watch=1`);
      sent.end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      return response;
    };
    const [leaving, staying] = [await watching(), await watching()];
    expect(server.parts.faults.openWatches).toBe(2);
    leaving.destroy();
    await expect.poll(() => server.parts.faults.openWatches).toBe(1);
    // Whether the stream ends in order or breaks off with an error, it ends.
    const ended = new Promise((resolve) => staying.on("error", resolve).on("close", resolve).resume());
    await http.close();
    await ended;
    expect(server.parts.faults.openWatches).toBe(0);
  });

  test("a fault that disconnects breaks the connection", async () => {
    server.parts.faults.add({
      target: { verb: "create" },
      action: { kind: "disconnect", when: "after" },
      times: 1,
    });
    await expect(send("POST", path, { metadata: { name: "a" } })).rejects.toThrow(
      /socket hang up|ECONNRESET/,
    );
    expect((await send("GET", `${path}/a`)).status).toBe(200);
  });

  test("a port that is taken is an error", async () => {
    await expect(HttpServer.start({ server, port: http.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });

  test("protobuf that cannot be read is a 400, and not a broken connection", async () => {
    const headers = { "content-type": "application/vnd.kubernetes.protobuf" };
    const { status, text } = await send("POST", path, "k8s\0\u0012\u007f", headers);
    expect([status, (JSON.parse(text) as { readonly message: string }).message]).toEqual([
      400,
      "unexpected EOF",
    ]);
  });
});

describe("TLS", () => {
  let authority: CertificateAuthority;
  let client: KeyPair;
  let session: ClientHttp2Session;

  beforeAll(async () => {
    authority = await CertificateAuthority.create("ca", realClock);
    client = await authority.issue({ commonName: "jane", organizations: ["devs", "ops"] });
    const { cert, key } = await authority.issue({ commonName: "server", hosts: ["127.0.0.1"] });
    server = newServer();
    http = await HttpServer.start({ server, tls: { cert, key, clientCa: authority.cert } });
  });
  afterAll(async () => {
    session.destroy();
    await http.close();
    await server.close();
  });

  test("HTTP/2 carries many watches and requests on one connection", async () => {
    session = connect(http.url, { ca: authority.cert });
    const events: string[] = [];
    for (let index = 0; index < 20; index++) {
      const stream = session.request({ ":path": `${path}?watch=1&resourceVersion=1` });
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => events.push(text));
      await once(stream, "response");
    }
    const sent = session.request({ ":path": path, ":method": "POST" });
    sent.end(JSON.stringify({ metadata: { name: "a" } }));
    const [headers] = (await once(sent, "response")) as [Record<string, unknown>];
    expect(headers[":status"]).toBe(201);
    await expect.poll(() => events.length).toBe(20);
    expect(new Set(events).size).toBe(1);
    expect(JSON.parse(events[0] ?? "")).toMatchObject({
      type: "ADDED",
      object: { kind: "ConfigMap", metadata: { name: "a" } },
    });
  });

  test("HTTP/1.1 on the same port, and the user that a client certificate names", async () => {
    const { cert, key } = client;
    seen.length = 0;
    const { status } = await answer(
      httpsRequest(`${http.url}${path}/a`, { ca: authority.cert, cert, key, agent: false }),
    );
    expect(status).toBe(200);
    const fingerprint = createHash("sha256").update(new X509Certificate(cert).raw).digest("hex");
    expect(seen.at(-1)?.user).toEqual({
      username: "jane",
      groups: ["devs", "ops", "system:authenticated"],
      extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
    });
  });

  test("a connection of HTTP/1.1 that nobody uses stays as long as clients in Go keep it", async () => {
    const agent = new Agent({ ca: authority.cert, keepAlive: true });
    try {
      const { headers } = await answer(httpsRequest(`${http.url}${path}/a`, { agent }));
      expect(headers["keep-alive"]).toBe("timeout=90");
    } finally {
      agent.destroy();
    }
  });

  test("a certificate of another authority names nobody", async () => {
    const stranger = await CertificateAuthority.create("other", realClock);
    const { cert, key } = await stranger.issue({ commonName: "mallory", organizations: ["system:masters"] });
    seen.length = 0;
    await answer(httpsRequest(`${http.url}${path}/a`, { ca: authority.cert, cert, key, agent: false }));
    expect(seen.at(-1)?.user.username).not.toBe("mallory");
  });
});
