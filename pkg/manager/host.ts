import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import { realClock, realRandom } from "../clock/real.ts";
import type { Logger } from "../log/logger.ts";
import { createLogger, fileDescriptorDestination } from "../log/pino.ts";
import { createMetrics, type MetricsRegistries } from "../metrics/registry.ts";
import { recordProcessStart } from "../metrics/standard.ts";
import { type Heap, processHeap } from "./spare-memory.ts";
import { limitYoungGeneration, processYoungGeneration } from "./young-generation.ts";

/** The process that a manager runs in. */
export interface Host {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistries;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** As it calls itself in an election: people see the machine, and chance makes it unique. */
  readonly identity: string;
  /** Aborts at the first signal to end. */
  readonly asked: AbortSignal;
  /** Where what only the start has used is given back; it is kept when left out. */
  readonly heap?: Heap;
  /** Writes out what is left of the log, and hears no signals any more. */
  close(): Promise<void>;
}

/** Whose deprecations of metrics apply. */
const METRICS_VERSION = "1.36.4";

/** This very process. A second signal ends it at once. */
export function processHost(): Host {
  const root = createLogger({
    format: "json",
    destination: fileDescriptorDestination(),
    clock: realClock,
    processId: process.pid,
  });
  const metrics = createMetrics({ version: METRICS_VERSION });
  recordProcessStart(metrics.main, realClock.nowMs() - process.uptime() * 1_000);
  metrics.collectRuntime();
  // Caches grow for a while, and the engine would keep what that takes.
  limitYoungGeneration(processYoungGeneration);
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      root.flushSync();
      process.exit(1);
    }
    root.logger.info("Stopping", { signal: name });
    stop.abort(new Error(`stopped by ${name}`));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return {
    clock: realClock,
    random: realRandom,
    log: root.logger,
    metrics,
    environment: process.env,
    identity: `${hostname()}_${randomUUID()}`,
    asked: stop.signal,
    heap: processHeap(),
    close: async () => {
      process.off("SIGTERM", onSignal);
      process.off("SIGINT", onSignal);
      await root.flush();
    },
  };
}
