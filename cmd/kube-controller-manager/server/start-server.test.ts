import { X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { connect as connectPlain } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { CertificateAuthority, type KeyPair } from "../../../pkg/pki/certificate-authority.ts";
import { issueCertificate, privateKeyOf, x509 } from "../../../test/harness/issue-certificate.ts";
import { ask, type Answer, http2Client } from "../../../test/harness/https-client.ts";
import { startTestServer, type TestHttpsServer } from "../../../test/harness/test-server.ts";
import { resolveOptions } from "../options/resolve.ts";
import { Listener } from "./listener.ts";
import { startServer } from "./start-server.ts";

let directory = "";
let authority: CertificateAuthority;
let admin: KeyPair;
let serving: readonly string[] = [];
let clientCa = "";
const running: { close(): Promise<void> }[] = [];

const inDirectory = (name: string): string => join(directory, name);

async function writePair(name: string, pair: KeyPair): Promise<[cert: string, key: string]> {
  const paths: [string, string] = [inDirectory(`${name}.crt`), inDirectory(`${name}.key`)];
  await writeFile(paths[0], pair.cert);
  await writeFile(paths[1], pair.key);
  return paths;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "serving-"));
  authority = await CertificateAuthority.create("clients", realClock);
  admin = await authority.issue({ commonName: "admin", organizations: ["system:masters"] });
  clientCa = inDirectory("ca.crt");
  await writeFile(clientCa, authority.cert);
  const [cert, key] = await writePair(
    "main",
    await authority.issue({ commonName: "main", hosts: ["localhost"] }),
  );
  serving = [`--tls-cert-file=${cert}`, `--tls-private-key-file=${key}`, `--client-ca-file=${clientCa}`];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(async (server) => server.close()));
});
afterAll(async () => rm(directory, { recursive: true }));

async function start(
  flags: readonly string[] = [],
  changes: Parameters<typeof startTestServer>[1] = {},
): Promise<TestHttpsServer & { get(path: string, more?: object): Promise<Answer> }> {
  const server = await startTestServer([...serving, ...flags], changes);
  running.push(server);
  return {
    ...server,
    get: async (path, more = {}) => ask({ port: server.port, path, client: admin, ...more }),
  };
}

/** Two hundred times as fast, for what waits between two looks at a file. */
const hurriedClock: Clock = {
  ...realClock,
  setTimer: (delayMs, callback) => realClock.setTimer(delayMs / 200, callback),
};

/** Real time, but what waits for exactly a minute waits for `release`. */
function gatedClock(): Clock & { release(): void } {
  let release = (): void => undefined;
  return {
    ...realClock,
    setTimer: (delayMs, callback) => {
      if (delayMs !== 60_000) return realClock.setTimer(delayMs, callback);
      release = callback;
      return { cancel: () => undefined };
    },
    release: () => release(),
  };
}

async function askForBytes(
  port: number,
  path: string,
): Promise<{ readonly headers: IncomingHttpHeaders; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port,
      path,
      rejectUnauthorized: false,
      cert: admin.cert,
      key: admin.key,
    };
    request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
    })
      .once("error", reject)
      .end();
  });
}

/** The machine may be busy with other tests. */
async function eventually(check: () => void | Promise<void>): Promise<void> {
  await vi.waitFor(check, { timeout: 60_000, interval: 20 });
}

describe("answers", () => {
  test("headers and bodies are those of the Go program", async () => {
    const { get } = await start();
    const healthy = await get("/healthz", { client: undefined });
    expect(healthy.body).toBe("ok");
    expect(healthy.headers).toMatchObject({
      "cache-control": "no-cache, private",
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "content-length": "2",
    });
    const refused = await get("/a<b?c", { client: undefined, method: "POST" });
    expect(refused.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(refused.body)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'forbidden: User "system:anonymous" cannot post path "/a&lt;b"',
      reason: "Forbidden",
      details: {},
      code: 403,
    });
    const missing = await get("/version");
    expect([missing.status, missing.body]).toEqual([404, "404 page not found\n"]);
  });

  test("metrics, compressed for those who ask for it", async () => {
    const { get } = await start();
    const plain = await get("/metrics");
    expect(plain.headers["content-type"]).toContain("text/plain; version=0.0.4");
    expect(plain.headers["process-start-time-unix"]).toBe("1767268800");
    expect(plain.body).toContain("# TYPE authentication_attempts counter");
    const packed = await get("/metrics", { headers: { "accept-encoding": "deflate, gzip" } });
    expect(packed.headers["content-encoding"]).toBe("gzip");
  });

  test("indicators of the service level can be reset", async () => {
    const { get } = await start();
    await get("/healthz");
    const counted = 'kubernetes_healthchecks_total{name="ping",status="success",type="healthz"} 1';
    expect((await get("/metrics/slis")).body).toContain(counted);
    expect((await get("/metrics/slis", { method: "DELETE" })).body).toBe("metrics reset\n");
    const after = (await get("/metrics/slis")).body;
    expect(after).not.toContain("kubernetes_healthchecks_total{");
    expect(after).toContain("process_start_time_seconds 1767268800");
  });

  test("the configuration, the flags and the status, for people and for programs", async () => {
    const { get } = await start(["--concurrent-gc-syncs=3"]);
    expect(JSON.parse((await get("/configz")).body)).toMatchObject({
      "kubecontrollermanager.config.k8s.io": { GarbageCollectorController: { ConcurrentGCSyncs: 3 } },
    });
    expect((await get("/flagz")).body).toMatch(
      /^\nkube-controller-manager flagz\nWarning: .*\n[^]*\nconcurrent-gc-syncs: 3\n/,
    );
    expect((await get("/statusz")).body).toMatch(
      /Started: Thu Jan {2}1 12:00:00 UTC 2026\nUp: \d+ hr \d\d min \d\d sec\nGo version: node26\.0\.0\nBinary version: 1\.36\.4\nEmulation version: 1\.36\nPaths: \/configz \/flagz \/healthz \/livez \/metrics \/readyz\n$/,
    );
    const structured = await get("/statusz", {
      headers: { accept: "application/json;v=v1beta1;g=config.k8s.io;as=Statusz" },
    });
    expect(structured.headers["content-type"]).toBe("application/json;g=config.k8s.io;v=v1beta1;as=Statusz");
    expect(JSON.parse(structured.body)).toMatchObject({ kind: "Statusz", startTime: "2026-01-01T12:00:00Z" });
    const yaml = await get("/flagz", {
      headers: { accept: "application/yaml;v=v1beta1;g=config.k8s.io;as=Flagz" },
    });
    expect(yaml.headers["content-type"]).toBe("application/yaml;g=config.k8s.io;v=v1beta1;as=Flagz");
    expect(yaml.body).toMatch(
      /^apiVersion: config.k8s.io\/v1beta1\nflags:\n[^]*\n {2}concurrent-gc-syncs: '3'\n/,
    );
    const old = await get("/flagz", {
      headers: { accept: "application/json;v=v1alpha1;g=config.k8s.io;as=Flagz" },
    });
    expect(old.headers["warning"]).toContain("deprecated");
    expect((await get("/statusz", { headers: { accept: "application/json" } })).status).toBe(406);
    expect((await get("/statusz", { headers: { accept: "application/xml, */*" } })).status).toBe(200);
  });

  test("pages behind gates and flags can be switched off", async () => {
    const { get } = await start([
      "--feature-gates=ComponentFlagz=false,ComponentStatusz=false",
      "--profiling=false",
    ]);
    for (const path of ["/flagz", "/statusz", "/debug/pprof/", "/debug/flags/v"]) {
      expect((await get(path)).status).toBe(404);
    }
  });

  test("the level of the log can be set", async () => {
    const { get, parts } = await start();
    const put = async (path: string, body: string): Promise<[number, string]> => {
      const answer = await get(path, {
        method: "PUT",
        body,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      });
      return [answer.status, answer.body];
    };
    expect(await put("/debug/flags/v", "2")).toEqual([200, "successfully set klog.logging.verbosity to 2\n"]);
    expect(parts.verbosity.thresholdOf("")).toBe(2);
    expect(await put("/debug/flags/vmodule", "gc*=9")).toEqual([200, "successfully set vmodule to gc*=9\n"]);
    expect(parts.verbosity.thresholdOf("gc-graph")).toBe(9);
    expect((await put("/debug/flags/v", "-1"))[0]).toBe(400);
    expect((await put("/debug/flags/vmodule", "x"))[0]).toBe(400);
    expect(parts.verbosity.thresholdOf("")).toBe(2);
  });

  test("profiles are taken one at a time, and what is asked wrongly is said", async () => {
    const clock = gatedClock();
    const { get } = await start([], { clock });
    const first = get("/debug/pprof/profile?seconds=60");
    await eventually(async () => expect((await get("/debug/pprof/allocs?seconds=0.01")).status).toBe(500));
    clock.release();
    expect(Object.keys(JSON.parse((await first).body) as object)).toContain("samples");
    expect(JSON.parse((await get("/debug/pprof/allocs?seconds=0.01")).body)).toHaveProperty("head");
    for (const seconds of ["x", "0", "-1", "Infinity", "3601"]) {
      expect((await get(`/debug/pprof/profile?seconds=${seconds}`)).status).toBe(400);
    }
    expect((await get("/debug/pprof/goroutine")).body).toMatch(/\d+ \w+/);
  });

  test("a heap profile tells Go's tools who allocates, and nothing of what was allocated", async () => {
    const { port } = await start();
    const kept: unknown[] = [];
    const answer = askForBytes(port, "/debug/pprof/heap?seconds=0.2");
    const grow = setInterval(
      () => kept.push(Array.from({ length: 20_000 }, () => `secret-${kept.length}`)),
      1,
    );
    const profile = await answer.finally(() => clearInterval(grow));
    expect(profile.headers["content-type"]).toBe("application/octet-stream");
    expect(profile.headers["content-disposition"]).toBe('attachment; filename="heap.pb.gz"');
    const shown = gunzipSync(profile.body).toString("latin1");
    expect(shown).toContain("inuse_space");
    expect(shown).toContain("start-server.test.ts");
    expect(shown).not.toContain("secret-");
  });

  test("snapshots of the heap are served only where a flag asks for them", async () => {
    const path = "/debug/v8/heap-snapshot";
    expect((await (await start()).get(path)).status).toBe(404);
    const { get } = await start(["--heap-snapshots", "--profiling=false"]);
    expect((await get(path, { client: undefined })).status).toBe(403);
    expect((await get(path)).body).toMatch(/^\{"snapshot":/);
  });

  test("controllers show what they have to show while they are there", async () => {
    let present = true;
    const { get } = await start([], {
      debugHandler: (name) =>
        present && name === "gc"
          ? async (path, query) =>
              path === "/graph"
                ? { contentType: "text/vnd.graphviz", body: `uid ${query.getAll("uid").join()}` }
                : undefined
          : undefined,
    });
    const shown = await get("/debug/controllers/gc/graph?uid=1&uid=2");
    expect([shown.headers["content-type"], shown.body]).toEqual(["text/vnd.graphviz", "uid 1,2"]);
    expect((await get("/debug/controllers/gc")).status).toBe(404);
    present = false;
    expect((await get("/debug/controllers/gc/graph")).status).toBe(404);
  });

  test("a request that fails inside is answered, logged, and the server goes on", async () => {
    const { get, lines } = await start([], {
      debugHandler: () => async () => {
        throw new Error("a defect");
      },
    });
    const failed = await get("/debug/controllers/gc/graph");
    expect([failed.status, failed.body]).toEqual([
      500,
      "This request failed inside the server. Its log says why.\n",
    ]);
    expect(lines.join("")).toContain("a defect");
    expect((await get("/healthz")).status).toBe(200);
  });

  test("requests are logged at level 3 and above, with where they came from", async () => {
    const { get, lines, parts } = await start();
    await get("/healthz?verbose", { headers: { "user-agent": "probe", authorization: "Bearer the-token" } });
    await eventually(() => expect(lines.join("")).toContain('"HTTP"'));
    expect(lines.join("")).toMatch(
      /"HTTP" verb="GET" URI="\/healthz\?verbose" .* userAgent="probe" srcIP="127\.0\.0\.1:\d+" resp=200/,
    );
    expect(lines.join("")).not.toContain("the-token");
    parts.verbosity.setLevel(2);
    const before = lines.length;
    await get("/healthz");
    expect(lines.length).toBe(before);
  });
});

describe("connections", () => {
  test("both versions of HTTP are spoken, or only the older one", async () => {
    const both = await start();
    const session = http2Client(both.port, admin);
    expect((await session.get("/metrics")).status).toBe(200);
    session.close();
    const older = await start(["--disable-http2-serving"]);
    expect((await older.get("/metrics")).status).toBe(200);
    await expect(http2Client(older.port, admin).get("/metrics")).rejects.toThrow();
  });

  test("strangers keep no HTTP/2 connection, users do", async () => {
    const { port } = await start();
    const stranger = http2Client(port);
    expect((await stranger.get("/healthz")).status).toBe(200);
    await eventually(() => expect(stranger.isClosed()).toBe(true));
    const user = http2Client(port, admin);
    expect((await user.get("/healthz")).status).toBe(200);
    expect((await user.get("/healthz")).status).toBe(200);
    expect(user.isClosed()).toBe(false);
    user.close();
  });

  test("large headers are taken", async () => {
    const { get, port } = await start();
    expect((await get("/healthz", { headers: { "x-large": "y".repeat(500_000) } })).status).toBe(200);
    const session = http2Client(port, admin);
    expect((await session.get("/healthz", { "x-large": "y".repeat(50_000) })).status).toBe(200);
    session.close();
  });

  test("the lowest version of TLS is kept to", async () => {
    const { get } = await start(["--tls-min-version=VersionTLS13"]);
    expect((await get("/healthz")).status).toBe(200);
    await expect(get("/healthz", { maxVersion: "TLSv1.2" })).rejects.toThrow();
  });

  test.each(["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-CCM", "ECDHE-ECDSA-ARIA128-GCM-SHA256"])(
    "%s is not among the ciphers of the default",
    async (cipher) => {
      const { port } = await start();
      const attempt = new Promise((resolve, reject) => {
        const options = {
          maxVersion: "TLSv1.2",
          ciphers: `${cipher}:@SECLEVEL=0`,
          rejectUnauthorized: false,
        } as const;
        connectTls({ host: "127.0.0.1", port, ...options }, () => resolve(undefined)).once("error", reject);
      });
      await expect(attempt).rejects.toThrow();
    },
  );

  test.each([[], ["--disable-http2-serving"]])("who begins a hand-shake has 32 s for it (%s)", (...flags) => {
    const { disableHttp2 } = resolveOptions(flags, () => "").options.secureServing;
    const { server } = new Listener(() => undefined, {
      certificates: { main: {}, byName: new Map() },
      http2: !disableHttp2,
      maxStreams: 0,
      onHandshakeError: () => undefined,
    });
    // Node.js keeps it under a symbol; to see it run out would take as long.
    const symbol = Object.getOwnPropertySymbols(server).find(
      ({ description }) => description === "handshake-timeout",
    );
    expect(symbol && (server as never)[symbol]).toBe(32_000);
  });

  test.each([
    ["http://localhost/healthz", 200, undefined],
    ["https://user@elsewhere:1/metrics?x=1", 200, "/metrics"],
    ["http://localhost", 404, "/"],
    ["http://localhost?x", 404, "/"],
  ])("a target with scheme and host, as clients of proxies send it: %s", async (target, status, path) => {
    const { get } = await start();
    expect((await get(target)).status).toBe(status);
    const stranger = await get(target, { client: undefined });
    expect(stranger.status).toBe(path === undefined ? 200 : 403);
    if (path !== undefined) expect(stranger.body).toContain(`cannot get path \\"${path}\\"`);
  });

  test.each([
    ["no TLS", false, [], "GET / HTTP/1.1\r\n\r\n"],
    ["no HTTP", true, ["http/1.1"], "\u0000\u0001\u0002 nonsense\r\n\r\n"],
    ["headers without an end", true, ["http/1.1"], `GET / HTTP/1.1\r\nX: ${"x".repeat(2_000_000)}`],
    ["no HTTP/2", true, ["h2"], "GET / HTTP/1.1\r\n\r\n"],
    ["a broken frame", true, ["h2"], `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\u00ff".repeat(18)}`],
  ])("%s: the connection ends, the server does not", async (_, isTls, ALPNProtocols, garbage) => {
    const { get, port } = await start();
    const socket = isTls
      ? connectTls({ host: "127.0.0.1", port, ALPNProtocols, rejectUnauthorized: false })
      : connectPlain(port, "127.0.0.1");
    socket.on("error", () => undefined);
    let isClosed = false;
    socket.on("close", () => {
      isClosed = true;
    });
    socket.resume();
    socket.write(Buffer.from(garbage, "latin1"));
    await eventually(() => expect(isClosed).toBe(true));
    expect((await get("/healthz")).status).toBe(200);
  });

  test("clients that go away in the middle do no harm", async () => {
    const { get, port, lines } = await start();
    for (const protocol of ["h2", "http/1.1"]) {
      const socket = connectTls({
        host: "127.0.0.1",
        port,
        ALPNProtocols: [protocol],
        rejectUnauthorized: false,
      });
      socket.on("error", () => undefined);
      await new Promise((resolve) => socket.once("secureConnect", resolve));
      if (protocol === "http/1.1") socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /hea");
      socket.destroy();
    }
    const session = http2Client(port, admin);
    const cut = session.get("/debug/pprof/profile?seconds=60");
    await eventually(async () => expect((await get("/debug/pprof/allocs?seconds=0.01")).status).toBe(500));
    session.close();
    await expect(cut).rejects.toThrow();
    await eventually(async () => expect((await get("/debug/pprof/allocs?seconds=0.01")).status).toBe(200));
    expect(lines.filter((line) => line.startsWith("E"))).toEqual([]);
  });

  test("closing answers what is under way, and takes nothing new", async () => {
    const clock = gatedClock();
    const server = await start([], { clock });
    const underWay = server.get("/debug/pprof/profile?seconds=60");
    await eventually(async () =>
      expect((await server.get("/debug/pprof/allocs?seconds=0.01")).status).toBe(500),
    );
    const closed = server.close();
    clock.release();
    expect((await underWay).status).toBe(200);
    await closed;
    await expect(server.get("/healthz")).rejects.toThrow("ECONNREFUSED");
  });

  test("idle connections do not hold up the closing", async () => {
    const server = await startTestServer(serving);
    const agent = new Agent({ keepAlive: true });
    expect((await ask({ port: server.port, path: "/healthz", agent })).status).toBe(200);
    const session = http2Client(server.port, admin);
    await session.get("/healthz");
    const startMs = performance.now();
    await server.close();
    expect(performance.now() - startMs).toBeLessThan(4_000);
    agent.destroy();
  });

  test("a connection that says nothing does not keep the server from closing", async () => {
    const server = await startTestServer(serving, { clock: hurriedClock });
    const silent = connectPlain(server.port, "127.0.0.1");
    silent.on("error", () => undefined);
    const session = http2Client(server.port, admin);
    await session.get("/healthz");
    await server.close();
    silent.destroy();
  });
});

describe("certificates", () => {
  test("one is made when none is given, and kept where a directory is", async () => {
    const memory = await startTestServer();
    running.push(memory);
    expect((await ask({ port: memory.port, path: "/healthz" })).servedBy).toMatch(/^localhost@\d+$/);
    const flags = [`--cert-dir=${inDirectory("kept")}`];
    const first = await startTestServer(flags);
    running.push(first);
    const [cert, key] = ["crt", "key"].map((suffix) => inDirectory(`kept/kube-controller-manager.${suffix}`));
    const kept = new X509Certificate(await readFile(cert ?? ""));
    expect(kept.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1");
    expect(((await stat(key ?? "")).mode & 0o777).toString(8)).toBe("600");
    const second = await startTestServer(flags);
    running.push(second);
    const { servedBy } = await ask({ port: second.port, path: "/healthz" });
    expect(`CN=${servedBy}`).toBe(kept.subject);
  });

  test.each(["crt", "key"])(
    "half a pair that was kept is made anew: only the %s is there",
    async (suffix) => {
      const directory = inDirectory(`half-${suffix}`);
      await mkdir(directory);
      const pair = await authority.issue({ commonName: "half" });
      const half = suffix === "crt" ? pair.cert : pair.key;
      await writeFile(join(directory, `kube-controller-manager.${suffix}`), half);
      const server = await startTestServer([`--cert-dir=${directory}`]);
      running.push(server);
      expect((await ask({ port: server.port, path: "/healthz" })).servedBy).toMatch(/^localhost@\d+$/);
    },
  );

  test("by host name", async () => {
    const [cert, key] = await writePair(
      "other",
      await authority.issue({ commonName: "other", hosts: ["*.other.test"] }),
    );
    const { get } = await start([
      `--tls-sni-cert-key=${cert},${key}`,
      `--tls-sni-cert-key=${cert},${key}:given.test`,
    ]);
    const servedFor = async (serverName: string): Promise<string> =>
      (await get("/healthz", { serverName })).servedBy;
    expect(await servedFor("a.other.test")).toBe("other");
    expect(await servedFor("given.test")).toBe("other");
    expect(await servedFor("unknown.test")).toBe("main");
  });

  test("changed files are served from then on, and open connections live on", async () => {
    const [cert, key] = await writePair(
      "turned",
      await authority.issue({ commonName: "before", hosts: ["a.test"] }),
    );
    const flags = [
      `--tls-cert-file=${cert}`,
      `--tls-private-key-file=${key}`,
      `--tls-sni-cert-key=${cert},${key}`,
    ];
    const { get, port } = await start(flags, { clock: hurriedClock });
    const session = http2Client(port, admin);
    await session.get("/healthz");
    expect((await get("/healthz")).servedBy).toBe("before");
    await writePair("turned", await authority.issue({ commonName: "after", hosts: ["a.test"] }));
    await eventually(async () => expect((await get("/healthz")).servedBy).toBe("after"));
    await eventually(async () =>
      expect((await get("/healthz", { serverName: "a.test" })).servedBy).toBe("after"),
    );
    expect((await session.get("/healthz")).status).toBe(200);
    expect(session.isClosed()).toBe(false);
    session.close();
  });

  test("the authorities of now decide about a connection that was made under others", async () => {
    const path = inDirectory("changing-ca.crt");
    await writeFile(path, authority.cert);
    const { port } = await start([`--client-ca-file=${path}`], { clock: hurriedClock });
    const session = http2Client(port, admin);
    expect((await session.get("/metrics")).status).toBe(200);
    const others = await CertificateAuthority.create("others", realClock);
    await writeFile(path, others.cert);
    // A refused client loses its HTTP/2 connection after the answer, so the first refusal is the last answer.
    await eventually(async () => expect((await session.get("/metrics")).status).toBe(401));
    session.close();
  });

  test("an intermediate certificate that the client sends counts, on every request of its connections", async () => {
    const isAuthority = new x509.BasicConstraintsExtension(true, undefined, true);
    const times = { fromMs: Date.now() - 60_000, toMs: Date.now() + 60_000 };
    const root = await issueCertificate({ subject: "CN=root", extensions: [isAuthority], ...times });
    const middle = await issueCertificate({
      issuer: root,
      subject: "CN=middle",
      extensions: [isAuthority],
      ...times,
    });
    const user = await issueCertificate({
      issuer: middle,
      subject: "O=system:masters,CN=jane",
      extensions: [],
      ...times,
    });
    const path = inDirectory("root-ca.crt");
    await writeFile(path, root.certificate.toString());
    const { get, port } = await start([`--client-ca-file=${path}`]);
    const key = await privateKeyOf(user);
    const client = { cert: [user, middle].map(({ certificate }) => certificate.toString()).join("\n"), key };
    expect((await get("/metrics", { client: { cert: String(user.certificate), key } })).status).toBe(401);
    // The agent would resume the first session on its second connection, and that would have no intermediate.
    const agent = new Agent({ keepAlive: false, maxCachedSessions: 10 });
    for (let round = 0; round < 3; round++) {
      expect((await ask({ port, path: "/metrics", client, agent })).status).toBe(200);
    }
    agent.destroy();
    const session = http2Client(port, client);
    expect((await session.get("/metrics")).status).toBe(200);
    expect((await session.get("/metrics")).status).toBe(200);
    session.close();
  });
});

describe("what stands in the way is said in one line", () => {
  test("a port in use", async () => {
    const { port } = await start();
    await expect(startTestServer([...serving, `--secure-port=${port}`])).rejects.toMatchObject({
      code: "Start",
      message: expect.stringMatching(
        /^--bind-address, --secure-port: cannot listen on 127.0.0.1:\d+: .*EADDRINUSE.*$/,
      ) as unknown,
    });
  });

  test("but several can share it if told to", async () => {
    const { port } = await start(["--permit-port-sharing"]);
    const second = await startTestServer([...serving, "--permit-port-sharing", `--secure-port=${port}`]);
    running.push(second);
    expect(second.port).toBe(port);
  });

  test("files that are not there, or are not what they should be", async () => {
    const [cert] = await writePair("a", admin);
    const [, otherKey] = await writePair("b", await authority.issue({ commonName: "b" }));
    const empty = inDirectory("empty");
    await writeFile(empty, "");
    const cases: readonly (readonly [flags: readonly string[], message: RegExp])[] = [
      [
        ["--tls-cert-file=/none", "--tls-private-key-file=/none"],
        /^--tls-cert-file, --tls-private-key-file: ENOENT.*$/,
      ],
      [
        [`--tls-cert-file=${cert}`, `--tls-private-key-file=${otherKey}`],
        /^the serving certificate cannot be used: .*$/,
      ],
      [["--client-ca-file=/none"], /^--client-ca-file \/none: ENOENT.*$/],
      [[`--client-ca-file=${empty}`], /^--client-ca-file .*: there is no certificate in PEM form$/],
      [
        [`--requestheader-client-ca-file=${empty}`],
        /^--requestheader-client-ca-file .*: there is no certificate/,
      ],
      [["--tls-sni-cert-key=/none,/none"], /^--tls-sni-cert-key: ENOENT.*$/],
      [[`--tls-sni-cert-key=${cert},${otherKey}`], /^.*key values mismatch.*$/],
      [[`--cert-dir=${cert}/below`], /^--cert-dir: the generated certificate cannot be kept: .*$/],
      [["--tls-cipher-suites=NOPE"], /^--tls-cipher-suites: cipher suite NOPE does not exist$/],
      [["--tls-curve-preferences=7"], /^--tls-curve-preferences: unknown curve 7$/],
      [
        ["--bind-address=192.0.2.1"],
        /^--bind-address, --secure-port: cannot listen on 192.0.2.1:\d+: .*EADDRNOTAVAIL.*$/,
      ],
    ];
    for (const [flags, message] of cases) {
      await expect(startTestServer(flags), flags.join(" ")).rejects.toMatchObject({
        code: "Start",
        message: expect.stringMatching(message) as unknown,
      });
    }
  });

  test("port 0 serves nothing", async () => {
    const { parts } = await start();
    const secureServing = { ...parts.options.secureServing, securePort: 0 };
    expect(await startServer({ ...parts, options: { ...parts.options, secureServing } })).toBeUndefined();
  });

  test("all addresses of both families are listened on by default", async () => {
    const server = await start(["--bind-address=0.0.0.0"]);
    expect((await server.get("/healthz")).status).toBe(200);
    const loopbacks = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    if (!loopbacks.some(({ address }) => address === "::1")) return;
    expect((await server.get("/healthz", { host: "::1" })).status).toBe(200);
  });
});
