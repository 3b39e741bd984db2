/**
 * A program that does nothing but lead: it contends for a Lease and, while it leads, writes its identity into one
 * ConfigMap as fast as it is let. What it is told comes as JSON in the environment.
 */
import { resources } from "../../pkg/api/resources.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { clientSet, type ClientSet } from "../../pkg/client/client-set.ts";
import { HttpTransport } from "../../pkg/client/http/http-transport.ts";
import { fixedIdentity } from "../../pkg/client/http/identity.ts";
import { unlimited } from "../../pkg/client/limiter.ts";
import { RestMetrics } from "../../pkg/client/rest-metrics.ts";
import { RestClient } from "../../pkg/client/rest.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { WarningLog } from "../../pkg/client/warnings.ts";
import { LeaderElector } from "../../pkg/leader/elector.ts";
import { fencedTransport } from "../../pkg/leader/fenced-transport.ts";
import { LeaseLock } from "../../pkg/leader/lease-lock.ts";
import type { ElectionTiming } from "../../pkg/leader/election-timing.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";

export interface ChildTask {
  readonly url: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly identity: string;
  readonly timing: ElectionTiming;
  /** How far this program's wall clock is off. */
  readonly skewMs: number;
  /** The speed of its clocks: 1.01 is one percent fast. */
  readonly rate: number;
}

/** At once, as a controller manager has many workers. */
const WRITERS = 4;

const task = JSON.parse(process.env["LEADER_CHILD"] ?? "null") as ChildTask;

const clock: Clock = {
  nowMs: () => realClock.nowMs() + task.skewMs,
  monotonicMs: () => realClock.monotonicMs() * task.rate,
  setTimer: (delayMs, callback) => realClock.setTimer(delayMs / task.rate, callback),
  turn: async () => realClock.turn(),
};

function connect(): Transport {
  const { ca, cert, key } = task;
  const tls = { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) };
  return new HttpTransport({ server: new URL(task.url), identity: fixedIdentity(tls), clock });
}

function clients(transport: Transport): ClientSet {
  const metrics = new RestMetrics(noMetrics, task.url);
  const warnings = new WarningLog(silentLogger);
  const userAgent = "leader-child";
  return clientSet(new RestClient({ transport, clock, limiter: unlimited, metrics, warnings, userAgent }));
}

async function main(): Promise<void> {
  const own = connect();
  const lock = new LeaseLock({
    client: clients(own).clientFor(resources.leases),
    namespace: "default",
    name: "leader-test",
    identity: task.identity,
  });
  const elector = new LeaderElector({
    name: "leader-test",
    lock,
    timing: task.timing,
    releaseOnStop: true,
    clock,
    random: realRandom,
    log: silentLogger,
    metrics: noMetrics,
  });
  const shared = connect();
  const configMaps = clients(fencedTransport(shared, elector.fence)).clientFor(resources.configMaps);
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort());
  let written = 0;

  const write = async (): Promise<void> => {
    const begun = String(realClock.nowMs());
    const body = { data: { writer: task.identity, begun, number: String(written++) } };
    await configMaps.patch({ namespace: "default", name: "leader-test" }, { type: "merge", body });
  };
  // Heeds only an orderly stop. A lost lease it ignores for a while: the fence alone must keep it from writing.
  const writeUntilStopped = async (signal: AbortSignal): Promise<void> => {
    let lostMs: number | undefined;
    while (!stop.signal.aborted) {
      if (signal.aborted) lostMs ??= clock.monotonicMs();
      if (lostMs !== undefined && clock.monotonicMs() - lostMs > 500) return;
      // Whether refused by the fence or by the server, the next try comes soon.
      await write().catch(async () => sleep(clock, 5));
    }
  };
  const lead = async (signal: AbortSignal): Promise<void> => {
    await Promise.all(Array.from({ length: WRITERS }, async () => writeUntilStopped(signal)));
  };
  const outcome = await elector.run(lead, stop.signal);
  process.exit(outcome === "stopped" ? 0 : 3);
}

await main();
