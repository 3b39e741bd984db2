import { spawnSync } from "node:child_process";
import { Agent } from "node:https";
import { resources } from "../../pkg/api/resources.ts";
import type { Service } from "../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { Daemon } from "../../test/harness/daemon.ts";
import { ask } from "../../test/harness/https-client.ts";
import { freePorts } from "../../test/harness/real-cluster.ts";
import { ourCommand } from "./compare/managers.ts";
import { createNamespace } from "./compare/probe.ts";
import { openStage, type Stage } from "./compare/stage.ts";
import { HASH, STORED, storedWorkloads } from "./compare/stored-objects.ts";

interface ProbeResult {
  readonly name: string;
  readonly figures: string;
  readonly goal: string;
}

const PODS = 50_000;
const INTERVAL_MS = 10;
/** Long enough for all lists and the first sync of every key. */
const WINDOW_MS = 30_000;

/**
 * A manager starts on a cluster of 50,000 pods, and is asked for its health all the time: once as they are, once with a
 * Service that selects all of them. The API server works as hard at the same time: the figures are the manager's own
 * only where it has a core for itself, or goes first.
 */
export async function benchProbe(): Promise<readonly ProbeResult[]> {
  const stage = await openStage(0, 1);
  try {
    await createNamespace(stage.client, STORED);
    await stage.store(storedWorkloads(PODS));
    const command = ourCommand(stage.directory);
    const plain = await probeStart(stage, command, `${PODS.toLocaleString("en")} pods`);
    await stage.client.clientFor(resources.services).create(serviceOfAll);
    const selected = await probeStart(stage, command, `${PODS.toLocaleString("en")} pods of one Service`);
    return [...plain, ...selected];
  } finally {
    await stage.stop();
  }
}

const serviceOfAll: Service = {
  metadata: { namespace: STORED, name: "all" },
  spec: { selector: { "pod-template-hash": HASH }, ports: [{ port: 80, protocol: "TCP" }] },
};

async function probeStart(
  stage: Stage,
  command: readonly string[],
  what: string,
): Promise<readonly ProbeResult[]> {
  const [port = 0] = await freePorts(1);
  const daemon = new Daemon(command, [
    `--kubeconfig=${stage.kubeconfig}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    ...stage.managerFlags,
  ]);
  try {
    const first = [process.pid, daemon.pid].every(goesFirst) ? "first on its core" : "shared cores";
    await daemon.says("Serving securely");
    const over = new AbortController();
    const probes = [
      probe(port, "/healthz", undefined, over.signal),
      probe(port, "/livez", undefined, over.signal),
      probe(port, "/healthz", new Agent({ keepAlive: true }), over.signal),
    ];
    await sleep(realClock, WINDOW_MS);
    over.abort();
    const [healthz = [], livez = [], kept = []] = await Promise.all(probes);
    const row = (name: string, times: readonly number[]): ProbeResult => ({
      name: `probes on ${what}, ${first}: ${name}`,
      figures: figuresOf(times),
      goal: "≤ 100 ms",
    });
    return [
      row("/healthz, new connections", healthz),
      row("/livez, new connections", livez),
      row("/healthz, one connection", kept),
    ];
  } finally {
    await daemon.end();
  }
}

/** Before all others on its core; false where that is not allowed, as it is to root. */
function goesFirst(pid: number): boolean {
  return spawnSync("chrt", ["--all-tasks", "--rr", "--pid", "1", String(pid)]).status === 0;
}

/** One after the other, as a kubelet asks: without credentials. */
async function probe(
  port: number,
  path: string,
  agent: Agent | undefined,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const startMs = realClock.monotonicMs();
    await ask({ port, path, ...(agent === undefined ? {} : { agent }) });
    times.push(realClock.monotonicMs() - startMs);
    await sleep(realClock, INTERVAL_MS);
  }
  agent?.destroy();
  return times;
}

function figuresOf(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms of ${sorted.length}`;
}
