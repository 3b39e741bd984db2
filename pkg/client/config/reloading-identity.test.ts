import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { noMetrics } from "../../metrics/metrics.ts";
import { TransportMetrics } from "../transport-metrics.ts";
import { TransportError } from "../transport.ts";
import { ExecMetrics } from "./exec-metrics.ts";
import { ExecPlugin, parseExecCredential } from "./exec-plugin.ts";
import type { ExecConfig, IdentitySource, Source } from "./identity-source.ts";
import { ReloadingIdentity } from "./reloading-identity.ts";

const V1 = "client.authentication.k8s.io/v1";
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "kcm-identity-"));
});
afterEach(async () => rm(directory, { recursive: true }));

const file = (name: string): string => join(directory, name);

function identity(
  source: IdentitySource,
  plugin?: ExecPlugin,
): { clock: VirtualClock; identity: ReloadingIdentity } {
  const clock = new VirtualClock();
  return {
    clock,
    identity: new ReloadingIdentity({
      source,
      plugin,
      clock,
      log: silentLogger,
      metrics: new TransportMetrics(noMetrics),
    }),
  };
}

describe("files", () => {
  test("a token is trimmed, and read again within 60 s", async () => {
    await writeFile(file("token"), " one\n");
    const { clock, identity: who } = identity({ token: { file: file("token") } });
    const first = await who.credentials();
    expect(first.headers).toEqual({ authorization: "Bearer one" });
    await writeFile(file("token"), "two\n");
    expect(await who.credentials()).toBe(first);
    await clock.advanceBy(60_000);
    const second = await who.credentials();
    expect(second.headers).toEqual({ authorization: "Bearer two" });
    expect(second.tls).toBe(first.tls);
  });

  test("after a reload that failed the next one comes in its time, and not with every request", async () => {
    await writeFile(file("token"), "one");
    const failures: string[] = [];
    const clock = new VirtualClock();
    const who = new ReloadingIdentity({
      source: { token: { file: file("token") } },
      plugin: undefined,
      clock,
      log: { ...silentLogger, error: (_, message) => void failures.push(message) },
      metrics: new TransportMetrics(noMetrics),
    });
    const first = await who.credentials();
    await writeFile(file("token"), "");
    await clock.advanceBy(30_000);
    for (let request = 0; request < 5; request++) expect(await who.credentials()).toBe(first);
    expect(failures).toHaveLength(1);
    await writeFile(file("token"), "two");
    await clock.advanceBy(29_999);
    expect(await who.credentials()).toBe(first);
    await clock.advanceBy(1);
    expect((await who.credentials()).headers).toEqual({ authorization: "Bearer two" });
    expect(failures).toHaveLength(1);
  });

  test("equal bytes are the same material, other bytes another", async () => {
    await writeFile(file("ca"), "CA 1");
    const { clock, identity: who } = identity({ ca: { file: file("ca") }, serverName: "x" });
    const first = await who.credentials();
    await writeFile(file("ca"), "CA 1");
    await clock.advanceBy(60_000);
    expect(await who.credentials()).toBe(first);
    await writeFile(file("ca"), "CA 2");
    await clock.advanceBy(60_000);
    expect((await who.credentials()).tls).toEqual({ ca: Buffer.from("CA 2"), serverName: "x" });
  });

  test("the last good credentials stay when a reload fails, half a rotation included", async () => {
    await writeFile(file("token"), "one");
    const { clock, identity: who } = identity({ token: { file: file("token") } });
    const first = await who.credentials();
    await writeFile(file("token"), "");
    await clock.advanceBy(60_000);
    expect(await who.credentials()).toBe(first);
    // Nor is it tried for again at once.
    await writeFile(file("token"), "two");
    expect(await who.credentials()).toBe(first);
    await writeFile(file("token"), "");
    await clock.advanceBy(60_000);
    expect(await who.credentials()).toBe(first);
    await rm(file("token"));
    await clock.advanceBy(60_000);
    expect(await who.credentials()).toBe(first);
    await writeFile(file("token"), "two");
    await clock.advanceBy(60_000);
    expect((await who.credentials()).headers).toEqual({ authorization: "Bearer two" });
  });

  test("without any good credentials there is an error, and another try with the next request", async () => {
    const { identity: who } = identity({ token: { file: file("token") } });
    await expect(who.credentials()).rejects.toThrow(TransportError);
    await writeFile(file("token"), "one");
    expect((await who.credentials()).headers).toEqual({ authorization: "Bearer one" });
  });

  test("a 401 reads them again at once, and is worth another try only if they are others", async () => {
    await writeFile(file("token"), "one");
    const { identity: who } = identity({ token: { file: file("token") } });
    const rejected = await who.credentials();
    expect(await who.renew(rejected)).toBe(false);
    await writeFile(file("token"), "two");
    expect(await who.renew(rejected)).toBe(true);
    expect(await who.renew(rejected)).toBe(true);
  });
});

/** Remembers what was counted, set and observed, by name. */
function recordingMetrics(): { metrics: Metrics; seen: [string, unknown][]; collect: () => void } {
  const seen: [string, unknown][] = [];
  const refreshes: (() => unknown)[] = [];
  const metrics: Metrics = {
    counter: ({ name }) => ({
      inc: (labels) => void seen.push([name, labels]),
      with: (labels) => ({ inc: () => void seen.push([name, labels]) }),
    }),
    gauge: ({ name }) => ({
      ...noMetrics.gauge({ name, help: "", stability: "ALPHA" }),
      set: (value) => void seen.push([name, value]),
    }),
    histogram: ({ name }) => ({
      ...noMetrics.histogram({ name, help: "", stability: "ALPHA", buckets: [] }),
      observe: (value) => void seen.push([name, value]),
    }),
    onCollect: (refresh) => void refreshes.push(refresh),
  };
  return { metrics, seen, collect: () => refreshes.forEach((refresh) => refresh()) };
}

test("reloads of the CA are counted by result", async () => {
  const { metrics, seen } = recordingMetrics();
  const clock = new VirtualClock();
  await writeFile(file("ca"), "CA 1");
  const source = { ca: { file: file("ca") } };
  const who = new ReloadingIdentity({
    source,
    plugin: undefined,
    clock,
    log: silentLogger,
    metrics: new TransportMetrics(metrics),
  });
  seen.length = 0;
  await who.credentials();
  for (const change of [
    async () => undefined,
    async () => writeFile(file("ca"), "CA 2"),
    async () => writeFile(file("ca"), ""),
    async () => rm(file("ca")),
  ]) {
    await change();
    await clock.advanceBy(60_000);
    await who.credentials();
  }
  expect(seen.map(([, labels]) => labels)).toEqual([
    { result: "success", reason: "unchanged" },
    { result: "success", reason: "updated" },
    { result: "failure", reason: "empty" },
    { result: "failure", reason: "read_error" },
  ]);
});

test("runs of the exec plugin are counted, and without a certificate there is no end to its life", () => {
  const { metrics, seen, collect } = recordingMetrics();
  const exec = new ExecMetrics(metrics, new VirtualClock());
  for (const error of [null, { code: 3 }, { code: "ENOENT" }, {}]) exec.called(error);
  exec.issued(undefined);
  collect();
  expect(seen.map(([, value]) => value)).toEqual([
    { code: "0", call_status: "no_error" },
    { code: "3", call_status: "plugin_execution_error" },
    { code: "1", call_status: "plugin_not_found_error" },
    { code: "1", call_status: "plugin_execution_error" },
    Infinity,
  ]);
});

describe("an exec plugin", () => {
  /** Counts its runs in a file, and answers with what the file `answer` holds. */
  async function plugin(config: Partial<ExecConfig> = {}): Promise<{
    clock: VirtualClock;
    identity: ReloadingIdentity;
    answer: (status: Record<string, unknown>) => Promise<void>;
    said: readonly string[];
  }> {
    const command = file("login");
    await writeFile(
      command,
      `#!/bin/sh\ncat "${file("answer")}"\nprintf %s "$KUBERNETES_EXEC_INFO$A" > "${file("seen")}"\n`,
    );
    await chmod(command, 0o755);
    const exec: ExecConfig = { apiVersion: V1, command, args: [], env: { A: "1" }, ...config };
    const clock = new VirtualClock();
    const env = { PATH: "/usr/bin:/bin" };
    const said: string[] = [];
    const log: Logger = {
      ...silentLogger,
      verbose: (level, message) => void said.push(`${level} ${message}`),
    };
    return {
      said,
      clock,
      identity: new ReloadingIdentity({
        source: { exec },
        plugin: new ExecPlugin(exec, { env, clock, log, metrics: new ExecMetrics(noMetrics, clock) }),
        clock,
        log: silentLogger,
        metrics: new TransportMetrics(noMetrics),
      }),
      answer: async (status) =>
        writeFile(file("answer"), JSON.stringify({ apiVersion: V1, kind: "ExecCredential", status })),
    };
  }

  test("is asked again when its credential has expired, and not before", async () => {
    const { clock, identity: who, answer } = await plugin();
    await answer({ token: "one", expirationTimestamp: new Date(clock.nowMs() + 90_000).toISOString() });
    const first = await who.credentials();
    expect(first.headers).toEqual({ authorization: "Bearer one" });
    await answer({ token: "two" });
    await clock.advanceBy(89_999);
    expect(await who.credentials()).toBe(first);
    await clock.advanceBy(1);
    expect((await who.credentials()).headers).toEqual({ authorization: "Bearer two" });
    await answer({ token: "three" });
    await clock.advanceBy(3_600_000);
    expect((await who.credentials()).headers).toEqual({ authorization: "Bearer two" });
  });

  test("has what it tells people logged, though all went well", async () => {
    const args = ["-c", `echo "your password expires soon" >&2; cat "${file("answer")}"`];
    const { identity: who, answer, said } = await plugin({ command: "/bin/sh", args });
    await answer({ token: "one" });
    await who.credentials();
    expect(said).toEqual(["2 exec plugin /bin/sh says: your password expires soon"]);
  });

  test("is run once for all who ask at the same time", async () => {
    const runs = file("runs");
    const args = ["-c", `echo run >> "${runs}"; cat "${file("answer")}"`];
    const { identity: who, answer } = await plugin({ command: "/bin/sh", args });
    await answer({ token: "one" });
    await Promise.all([who.credentials(), who.credentials(), who.credentials()]);
    expect(await readFile(runs, "utf8")).toBe("run\n");
  });

  test("is asked again, once, after a 401", async () => {
    const { identity: who, answer } = await plugin();
    await answer({ token: "one" });
    const rejected = await who.credentials();
    await answer({ token: "two" });
    expect(await Promise.all([who.renew(rejected), who.renew(rejected)])).toEqual([true, true]);
    await answer({ token: "three" });
    expect(await who.renew(rejected)).toBe(true);
    expect((await who.credentials()).headers).toEqual({ authorization: "Bearer two" });
  });

  test.each([
    ["as data", async (): Promise<Source> => ({ data: Buffer.from("CA") })],
    [
      "in a file",
      async (): Promise<Source> => {
        await writeFile(file("ca.crt"), "CA");
        return { file: file("ca.crt") };
      },
    ],
  ])("that wants to know the cluster is given the authorities' bytes, where they stand %s", async (_, ca) => {
    const cluster = { server: "https://api:6443", config: { audience: "a" } };
    const { identity: who, answer } = await plugin({ cluster, ca: await ca(), env: {} });
    await answer({ token: "one" });
    await who.credentials();
    expect(JSON.parse(await readFile(file("seen"), "utf8"))).toEqual({
      apiVersion: V1,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: { ...cluster, "certificate-authority-data": Buffer.from("CA").toString("base64") },
      },
    });
  });

  test("whose cluster's authorities cannot be read is not run", async () => {
    const { identity: who } = await plugin({ cluster: {}, ca: { file: file("absent") } });
    await expect(who.credentials()).rejects.toThrow(/the certificate authority cannot be read/);
    await expect(readFile(file("seen"))).rejects.toThrow("ENOENT");
  });

  test("that is missing or fails is named, with its hint and what it says of it, and without what it gave out", async () => {
    const missing = await plugin({ command: file("absent"), installHint: "install it" });
    await expect(missing.identity.credentials()).rejects.toThrow(/absent not found: install it/);
    const failing = await plugin({
      command: "/bin/sh",
      args: ["-c", "echo hush; echo log in first >&2; exit 3"],
    });
    const error: unknown = await Promise.resolve(failing.identity.credentials()).catch(
      (failure: unknown) => failure,
    );
    expect((error as Error).message).toMatch(/\/bin\/sh failed with 3: log in first$/);
    expect((error as Error).message).not.toContain("hush");
    const noisy = await plugin({
      command: "/bin/sh",
      args: ["-c", "printf 'a%.0s' $(seq 9999) >&2; exit 3"],
    });
    await expect(noisy.identity.credentials()).rejects.toThrow(/failed with 3: …a{1024}$/);
  });

  test.each<[string, unknown, RegExp]>([
    ["no JSON", "hush", /not JSON/],
    ["something else", { kind: "Pod" }, /no ExecCredential/],
    [
      "another version",
      { kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1beta1" },
      /it answered with/,
    ],
    ["nothing", { kind: "ExecCredential", apiVersion: V1 }, /neither a token nor a certificate/],
    [
      "half a pair",
      { kind: "ExecCredential", apiVersion: V1, status: { clientKeyData: "hush" } },
      /only one of/,
    ],
    [
      "a bad time",
      { kind: "ExecCredential", apiVersion: V1, status: { token: "t", expirationTimestamp: "soon" } },
      /no time/,
    ],
  ])("that answers with %s is refused", (_, output, message) => {
    const text = typeof output === "string" ? output : JSON.stringify(output);
    expect(() => parseExecCredential(text, V1)).toThrow(message);
    expect(() => parseExecCredential(text, V1)).not.toThrow(/hush/);
  });
});
