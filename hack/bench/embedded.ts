import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";

export interface EmbeddedResult {
  readonly name: string;
  readonly figures: string;
  readonly goal: string;
}

const program = join(import.meta.dirname, "..", "..", "cmd", "kcm", "main.ts");
const PARALLEL = 32;
const REQUESTS = 10_000;
const WATCHERS = 100;
const CHANGES = 1_000;
const NEW_LINE = 10;
const STARTS = 7;
const DEPLOYMENTS = 100;
const PODS_EACH = 100;

/** `kcm up` as its users have it: a process of its own, behind HTTPS. */
interface Running {
  readonly child: ChildProcess;
  readonly kubeconfig: string;
  readonly url: string;
  readonly readyMs: number;
  stop(): Promise<void>;
}

export async function benchEmbedded(): Promise<readonly EmbeddedResult[]> {
  return [await benchStart(), ...(await benchRequests()), await benchFanOut(), await benchPods()];
}

async function benchStart(): Promise<EmbeddedResult> {
  const times: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    const running = await start([]);
    times.push(running.readyMs);
    await running.stop();
  }
  const [best = 0] = times.sort((a, b) => a - b);
  const median = times[times.length >> 1] ?? 0;
  const figures = `median ${seconds(median)}, best ${seconds(best)}`;
  return { name: "kcm up: process start to ready", figures, goal: "≤ 1.00 s" };
}

async function benchRequests(): Promise<readonly EmbeddedResult[]> {
  return withClient(["--apiserver-only"], async ({ client }) => {
    const configMaps = client.clientFor(resources.configMaps);
    const named = (index: number): { namespace: string; name: string } => ({
      namespace: "default",
      name: `c-${index}`,
    });
    const create = async (index: number): Promise<unknown> =>
      configMaps.create({ metadata: named(index), data: { key: "value" } });
    const get = async (index: number): Promise<unknown> => configMaps.get(named(index));
    const creates = await rate(create);
    const gets = await rate(get);
    return [
      { name: `creates of a ConfigMap, ${PARALLEL} at a time`, figures: perSecond(creates), goal: "" },
      { name: `gets of a ConfigMap, ${PARALLEL} at a time`, figures: perSecond(gets), goal: "" },
    ];
  });
}

async function rate(request: (index: number) => Promise<unknown>, count = REQUESTS): Promise<number> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await request(index);
  };
  const startMs = realClock.monotonicMs();
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return (count * 1_000) / (realClock.monotonicMs() - startMs);
}

/** Watchers only count lines: what is measured is the server. */
async function benchFanOut(): Promise<EmbeddedResult> {
  return withClient(["--apiserver-only", "--insecure-admin"], async ({ running, client }) => {
    const configMaps = client.clientFor(resources.configMaps);
    const counter = { lines: 0 };
    const stop = new AbortController();
    const watches = Array.from({ length: WATCHERS }, async () =>
      countLines(running.url, counter, stop.signal),
    );
    const first = { namespace: "default", name: "first" };
    await configMaps.create({ metadata: first });
    // Each watch that is open has seen it.
    while (counter.lines < WATCHERS) await sleep(realClock, 5);
    const startMs = realClock.monotonicMs();
    const changes = await rate(
      async (index) => configMaps.create({ metadata: { namespace: "default", name: `c-${index}` } }),
      CHANGES,
    );
    while (counter.lines < WATCHERS * (CHANGES + 1)) await sleep(realClock, 5);
    const tookMs = realClock.monotonicMs() - startMs;
    stop.abort();
    await Promise.all(watches);
    const events = perSecond((WATCHERS * CHANGES * 1_000) / tookMs);
    return {
      name: `watch events to ${WATCHERS} watchers`,
      figures: `${events}, of ${perSecond(changes)} creates`,
      goal: "",
    };
  });
}

async function countLines(url: string, counter: { lines: number }, signal: AbortSignal): Promise<void> {
  try {
    const response = await fetch(`${url}/api/v1/namespaces/default/configmaps?watch=1`, { signal });
    for await (const chunk of response.body ?? []) {
      for (const byte of chunk as Uint8Array) if (byte === NEW_LINE) counter.lines++;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function benchPods(): Promise<EmbeddedResult> {
  const pods = DEPLOYMENTS * PODS_EACH;
  return withClient(["--nodes=100"], async ({ running, client }) => {
    const deployments = client.clientFor<Deployment>(resources.deployments);
    const startMs = realClock.monotonicMs();
    for (let index = 0; index < DEPLOYMENTS; index++) await deployments.create(deployment(index));
    for (;;) {
      const { items } = await deployments.list({ namespace: "default", labelSelector: "bench=yes" });
      const available = items.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
      if (available === pods) break;
      await sleep(realClock, 100);
    }
    const tookMs = realClock.monotonicMs() - startMs;
    const rss = residentMiB(running.child.pid ?? 0);
    const figures = `${seconds(tookMs)}, ${perSecond((pods * 1_000) / tookMs)}, RSS ${rss} MiB`;
    return { name: `${pods.toLocaleString("en")} pods on 100 nodes: creation to Running`, figures, goal: "" };
  });
}

function deployment(index: number): Deployment {
  const name = `bench-${index}`;
  return {
    metadata: { name, namespace: "default", labels: { bench: "yes" } },
    spec: {
      replicas: PODS_EACH,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "c", image: "nginx" }] },
      },
    },
  };
}

interface Bench {
  readonly running: Running;
  readonly client: ClientSet;
}

async function withClient<T>(args: readonly string[], use: (bench: Bench) => Promise<T>): Promise<T> {
  const running = await start(args);
  const builder = httpClients({
    access: await loadAccess({ kubeconfig: running.kubeconfig, env: {} }),
    env: {},
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    userAgent: "bench",
    qps: -1,
    burst: 1,
  });
  try {
    return await use({ running, client: builder.client("bench") });
  } finally {
    await builder.close();
    await running.stop();
  }
}

async function start(args: readonly string[]): Promise<Running> {
  const directory = mkdtempSync(join(tmpdir(), "kcm-bench-"));
  const kubeconfig = join(directory, "kubeconfig");
  const startMs = realClock.monotonicMs();
  const all = [program, "up", "--port=0", `--kubeconfig=${kubeconfig}`, ...args];
  // Whatever clusters the user has are of no concern here.
  const env = { ...process.env, KCM_HOME: directory };
  const child = spawn(process.execPath, all, { env, stdio: ["ignore", "pipe", "ignore"] });
  const closed = new Promise((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /ready after [\d.]+ s: (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    const readyMs = realClock.monotonicMs() - startMs;
    const stop = async (): Promise<void> => {
      child.kill("SIGTERM");
      await closed;
      rmSync(directory, { recursive: true, force: true });
    };
    return { child, kubeconfig, url, readyMs, stop };
  }
  throw new Error("kcm up ended before it was ready");
}

function residentMiB(processId: number): number {
  const text = execFileSync("ps", ["-o", "rss=", "-p", String(processId)], { encoding: "utf8" });
  return Math.round(Number(text) / 1_024);
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

function perSecond(count: number): string {
  return `${Math.round(count).toLocaleString("en")}/s`;
}
