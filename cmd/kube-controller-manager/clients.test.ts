import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { RestClient } from "../../pkg/client/rest.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { HttpListener, plainKubeconfig } from "../../test/harness/http-listener.ts";
import { until } from "../../test/harness/until.ts";
import { type Clients, createClients } from "./clients.ts";
import { resolveOptions } from "./options/resolve.ts";

let directory = "";
let one: HttpListener;
let other: HttpListener;
const closing: Clients[] = [];
const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "job-controller", uid: "1" } };
const tokenAnswer = {
  apiVersion: "authentication.k8s.io/v1",
  kind: "TokenRequest",
  status: { token: "of-the-account", expirationTimestamp: new Date(Date.now() + 3_600_000).toISOString() },
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "clients-"));
});
afterAll(async () => rm(directory, { recursive: true }));
beforeEach(async () => {
  one = await HttpListener.start((path) => {
    if (path.endsWith("/token")) return tokenAnswer;
    return path.includes("/serviceaccounts/") ? account : {};
  });
  other = await HttpListener.start();
});
afterEach(async () => {
  await Promise.all(closing.splice(0).map(async ({ root }) => root.close()));
  await Promise.all([one.stop(), other.stop()]);
});

async function clientsWith(flags: readonly string[], clock: Clock = realClock): Promise<Clients> {
  const { options } = resolveOptions(flags, () => "");
  const clients = await createClients(options, {}, { clock, log: silentLogger, metrics: noMetrics });
  closing.push(clients);
  return clients;
}

async function kubeconfigFor(listener: HttpListener): Promise<string> {
  const path = join(directory, "config");
  await writeFile(path, plainKubeconfig(listener.url));
  return path;
}

const get = async (rest: RestClient, path: string, namespace = ""): Promise<unknown> =>
  rest.json({ method: "GET", path, namespace });

test("--kubeconfig says which API server, and --master goes before it", async () => {
  const kubeconfig = await kubeconfigFor(one);
  const first = await clientsWith([`--kubeconfig=${kubeconfig}`]);
  await get(first.root.client("a").rest, "/one");
  const second = await clientsWith([`--kubeconfig=${kubeconfig}`, `--master=${other.url}`]);
  await get(second.root.client("a").rest, "/two");
  expect([one.lines, other.lines]).toEqual([["GET /one"], ["GET /two"]]);
});

test("controllers are the configured user, unless --use-service-account-credentials", async () => {
  const plain = (await clientsWith([`--master=${one.url}`])).ofControllers();
  await get(plain.client("job-controller").rest, "/plain");
  await plain.close();
  const own = (
    await clientsWith([`--master=${one.url}`, "--use-service-account-credentials"])
  ).ofControllers();
  await get(own.client("job-controller").rest, "/own");
  await get(own.client("tokens-controller", { asConfiguredUser: true }).rest, "/root");
  await own.close();
  const asked = one.heard.filter(({ line }) => !line.includes("/serviceaccounts/"));
  expect(asked.map(({ line, headers }) => [line, headers.authorization])).toEqual([
    ["GET /plain", undefined],
    ["GET /own", "Bearer of-the-account"],
    ["GET /root", undefined],
  ]);
  expect(one.lines).toContain("POST /api/v1/namespaces/kube-system/serviceaccounts/job-controller/token");
});

/** All delays that were asked for. Time passes only by them, however slow the machine is. */
function listeningClock(): Clock & { readonly delays: number[] } {
  const delays: number[] = [];
  let nowMs = 0;
  return {
    ...realClock,
    delays,
    monotonicMs: () => nowMs,
    setTimer: (delayMs, callback) => {
      delays.push(delayMs);
      return realClock.setTimer(delayMs, () => {
        nowMs += Math.max(0, delayMs);
        callback();
      });
    },
  };
}

test("--kube-api-burst requests go out at once, and the next waits for its share of --kube-api-qps", async () => {
  const clock = listeningClock();
  const flags = [`--master=${one.url}`, "--kube-api-qps=0.001", "--kube-api-burst=3"];
  for (const builder of [
    (await clientsWith(flags, clock)).root,
    (await clientsWith(flags, clock)).ofControllers(),
  ]) {
    clock.delays.length = 0;
    const { rest } = builder.client("a");
    for (let sent = 0; sent < 3; sent++) await get(rest, "/x");
    const stop = new AbortController();
    const late = rest.json({ method: "GET", path: "/late" }, stop.signal);
    await until("the fourth waits", () => clock.delays.some((delayMs) => delayMs > 900_000));
    expect(Math.max(...clock.delays)).toBeLessThanOrEqual(1_000_000);
    stop.abort(new Error("waited long enough"));
    await expect(late).rejects.toThrow("waited long enough");
    await builder.close();
  }
  expect(one.lines).toEqual(Array.from({ length: 6 }, () => "GET /x"));
});

test.each([
  { flag: "--fair-queues=true", order: ["GET /a", "GET /a", "GET /b", "GET /a", "GET /a"] },
  { flag: "--fair-queues=false", order: ["GET /a", "GET /a", "GET /a", "GET /a", "GET /b"] },
])("with $flag waiting requests take turns between namespaces, or not", async ({ flag, order }) => {
  const { root } = await clientsWith([
    `--master=${one.url}`,
    "--kube-api-qps=20",
    "--kube-api-burst=1",
    flag,
  ]);
  const { rest } = root.client("a");
  const sent = ["a", "a", "a", "a", "b"].map(async (namespace) => get(rest, `/${namespace}`, namespace));
  await Promise.all(sent);
  expect(one.lines).toEqual(order);
});

// client-go takes 0 for its default of 5 requests a second, and bursts of 10.
test("--kube-api-qps=0 means five requests a second, and below 0 no limit at all", async () => {
  const clock = listeningClock();
  const flags = [`--master=${one.url}`, "--kube-api-burst=0"];
  const { root } = await clientsWith([...flags, "--kube-api-qps=0"], clock);
  const waits = (): readonly number[] => clock.delays.filter((delayMs) => delayMs > 0 && delayMs <= 200);
  // As upstream, the multiples of a controller come first: those of nothing are nothing.
  for (const options of [{}, { qpsFactor: 20, burstFactor: 100 }]) {
    const limited = root.client("a", options);
    clock.delays.length = 0;
    for (let sent = 0; sent < 10; sent++) await get(limited.rest, "/x");
    expect(waits()).toEqual([]);
    await get(limited.rest, "/x");
    expect(waits()).toEqual([200]);
  }
  const free = (await clientsWith([...flags, "--kube-api-qps=-1"], clock)).root.client("a");
  clock.delays.length = 0;
  for (let sent = 0; sent < 30; sent++) await get(free.rest, "/x");
  expect(waits()).toEqual([]);
});
