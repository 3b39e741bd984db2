import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { CertificateAuthority, type KeyPair } from "../../../pkg/pki/certificate-authority.ts";
import { fakeClients } from "../../../test/harness/fake-clients.ts";
import { FakeTransport } from "../../../test/harness/fake-transport.ts";
import { ask, type Answer } from "../../../test/harness/https-client.ts";
import { startTestServer, type TestHttpsServer } from "../../../test/harness/test-server.ts";
import { until } from "../../../test/harness/until.ts";

let directory = "";
let authority: CertificateAuthority;
let proxies: CertificateAuthority;
let flags: readonly string[] = [];
const running: TestHttpsServer[] = [];

const inDirectory = (name: string): string => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "server-wiring-"));
  authority = await CertificateAuthority.create("clients", realClock);
  proxies = await CertificateAuthority.create("proxies", realClock);
  await writeFile(inDirectory("ca.crt"), authority.cert);
  await writeFile(inDirectory("proxy-ca.crt"), proxies.cert);
  const pair = await authority.issue({ commonName: "before", hosts: ["localhost"] });
  await writePair(pair);
  flags = [
    `--client-ca-file=${inDirectory("ca.crt")}`,
    `--tls-cert-file=${inDirectory("main.crt")}`,
    `--tls-private-key-file=${inDirectory("main.key")}`,
    "--requestheader-allowed-names=front",
    `--requestheader-client-ca-file=${inDirectory("proxy-ca.crt")}`,
    "--requestheader-extra-headers-prefix=x-our-extra-",
    "--requestheader-group-headers=x-our-group",
    "--requestheader-uid-headers=x-our-uid",
    "--requestheader-username-headers=x-our-user",
    "--authentication-token-webhook-cache-ttl=20s",
    "--authorization-webhook-cache-authorized-ttl=300s",
    "--authorization-webhook-cache-unauthorized-ttl=60s",
    "--authorization-always-allow-paths=/open",
    "--http2-max-streams-per-connection=17",
  ];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(async (server) => server.close()));
});
afterAll(async () => rm(directory, { recursive: true }));

async function writePair(pair: KeyPair): Promise<void> {
  await writeFile(inDirectory("main.crt"), pair.cert);
  await writeFile(inDirectory("main.key"), pair.key);
}

/** Real time that can be moved on. */
function movableClock(): Clock & { pass(durationMs: number): void } {
  let offsetMs = 0;
  return {
    ...realClock,
    nowMs: () => realClock.nowMs() + offsetMs,
    monotonicMs: () => realClock.monotonicMs() + offsetMs,
    pass: (durationMs) => void (offsetMs += durationMs),
  };
}

interface Review {
  readonly spec: { readonly token?: string; readonly nonResourceAttributes?: { readonly path: string } };
}

/** An API server that knows every token as that of "jane", and allows everything but /forbidden. */
function reviewer(): { readonly client: ClientSet; readonly transport: FakeTransport } {
  const transport = new FakeTransport(({ body }) => {
    const { spec } = body as Review;
    const status =
      spec.token === undefined
        ? { allowed: spec.nonResourceAttributes?.path !== "/forbidden" }
        : { authenticated: true, user: { username: "jane", groups: ["devs"] } };
    return { status: 201, body: { status } };
  });
  const client = fakeClients(transport, realClock).client("reviews");
  return { client, transport };
}

interface Stage extends TestHttpsServer {
  readonly authentication: FakeTransport;
  readonly authorization: FakeTransport;
  get(path: string, more?: object): Promise<Answer>;
}

async function start(clock: Clock = realClock): Promise<Stage> {
  const [who, may] = [reviewer(), reviewer()];
  const clients = { authentication: who.client, authorization: may.client };
  const server = await startTestServer(flags, { clients, clock });
  running.push(server);
  return {
    ...server,
    authentication: who.transport,
    authorization: may.transport,
    get: async (path, more = {}) => ask({ port: server.port, path, ...more }),
  };
}

const headers = {
  "x-our-user": "jane",
  "x-our-uid": "7",
  "x-our-group": "devs",
  "x-our-extra-city": "Bern",
  "x-remote-group": "system:masters",
};

test("a proxy of an allowed name says who asks, in the headers of the flags", async () => {
  const { get, authorization, authentication } = await start();
  const client = await proxies.issue({ commonName: "front" });
  expect((await get("/metrics", { client, headers })).status).toBe(200);
  expect(authorization.requests.map(({ body }) => (body as Review).spec)).toEqual([
    {
      user: "jane",
      uid: "7",
      groups: ["devs", "system:authenticated"],
      extra: { city: ["Bern"] },
      nonResourceAttributes: { path: "/metrics", verb: "get" },
    },
  ]);
  expect(authentication.requests).toEqual([]);
});

test("a proxy of another name is refused, and so is one of the clients' authority", async () => {
  const { get } = await start();
  const masters = { ...headers, "x-our-group": "system:masters" };
  const other = await proxies.issue({ commonName: "back" });
  expect((await get("/metrics", { client: other, headers: masters })).status).toBe(401);
  const user = await authority.issue({ commonName: "front" });
  const answer = await get("/forbidden", { client: user, headers: masters });
  expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('User \\"front\\"')]);
});

test("tokens, permissions and refusals are remembered for as long as the flags say", async () => {
  const clock = movableClock();
  const { get, authentication, authorization } = await start(clock);
  const asked = async (path: string): Promise<readonly [status: number, tokens: number, reviews: number]> => {
    const { status } = await get(path, { headers: { authorization: "Bearer of-jane" } });
    const counts = [authentication.requests.length, authorization.requests.length] as const;
    authentication.requests.length = 0;
    authorization.requests.length = 0;
    return [status, ...counts];
  };
  expect(await asked("/metrics")).toEqual([200, 1, 1]);
  expect(await asked("/forbidden")).toEqual([403, 0, 1]);
  clock.pass(19_000);
  expect(await asked("/metrics")).toEqual([200, 0, 0]);
  clock.pass(2_000);
  expect(await asked("/metrics")).toEqual([200, 1, 0]);
  expect(await asked("/forbidden")).toEqual([403, 0, 0]);
  clock.pass(40_000);
  expect(await asked("/forbidden")).toEqual([403, 1, 1]);
  clock.pass(237_000);
  expect(await asked("/metrics")).toEqual([200, 1, 0]);
  clock.pass(3_000);
  expect(await asked("/metrics")).toEqual([200, 0, 1]);
});

test("paths that anyone may read are those of the flag", async () => {
  const { get, authorization } = await start();
  expect((await get("/open")).status).toBe(404);
  expect(authorization.requests).toEqual([]);
  await get("/healthz");
  expect(authorization.requests.length).toBe(1);
});

test("a client may open as many streams as the flag says", async () => {
  const { port } = await start();
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const settings = await new Promise<{ maxConcurrentStreams?: number }>((resolve) =>
    session.once("remoteSettings", resolve),
  );
  expect(settings.maxConcurrentStreams).toBe(17);
  session.destroy();
});

test("a pair of which only one half is written is not served, and the old one is until the other half is there", async () => {
  const hurried: Clock = {
    ...realClock,
    setTimer: (delayMs, callback) => realClock.setTimer(delayMs / 500, callback),
  };
  const { get, lines } = await start(hurried);
  const after = await authority.issue({ commonName: "after", hosts: ["localhost"] });
  await writeFile(inDirectory("main.crt"), after.cert);
  await until("the half is noticed", () => lines.join("").includes("Changed files cannot be used"));
  expect((await get("/healthz")).servedBy).toBe("before");
  // Authorities change in the meantime, for which all is put together anew.
  const both = [authority.cert, proxies.cert].join("\n");
  await writeFile(inDirectory("ca.crt"), both);
  await until("the authorities are loaded", () => lines.join("").includes("Loaded changed files"));
  expect((await get("/healthz")).servedBy).toBe("before");
  await writeFile(inDirectory("main.key"), after.key);
  await until("the new pair is served", async () => (await get("/healthz")).servedBy === "after");
});
