import { HealthChecks } from "../../pkg/manager/health/health.ts";
import type { ServerParts } from "../../cmd/kube-controller-manager/server/server-parts.ts";
import { type RunningServer, startServer } from "../../cmd/kube-controller-manager/server/start-server.ts";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { createLogger } from "../../pkg/log/pino.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { healthcheckMetrics, recordProcessStart } from "../../pkg/metrics/standard.ts";
import { freePorts } from "./real-cluster.ts";

export interface TestHttpsServer extends RunningServer {
  /** All that was logged, line by line. */
  readonly lines: readonly string[];
  readonly parts: ServerParts;
}

export const PROCESS_START_MS = Date.UTC(2026, 0, 1, 12);

/** The HTTPS server of the daemon alone, on loopback, with its log at hand. */
export async function startTestServer(
  flags: readonly string[] = [],
  changes: Partial<ServerParts> = {},
): Promise<TestHttpsServer> {
  const [port = 0] = await freePorts(1);
  const argv = ["--bind-address=127.0.0.1", `--secure-port=${port}`, ...flags];
  const { options } = resolveOptions(argv, () => {
    throw new Error("there is no file");
  });
  const lines: string[] = [];
  const root = createLogger({
    format: "text",
    destination: { write: (line) => void lines.push(line) },
    clock: realClock,
    processId: 1,
    verbosity: 10,
  });
  const metrics = createMetrics({ version: "1.36.4" });
  recordProcessStart(metrics.slis, PROCESS_START_MS);
  const parts: ServerParts = {
    options,
    features: featureGates(options.generic.featureGates),
    clock: realClock,
    random: realRandom,
    log: root.logger,
    verbosity: root.verbosity,
    metrics,
    health: new HealthChecks(healthcheckMetrics(metrics.slis), root.logger),
    processStartMs: PROCESS_START_MS,
    build: { goVersion: "node26.0.0", binaryVersion: "1.36.4", emulationVersion: "1.36" },
    clients: {},
    debugHandler: () => undefined,
    ...changes,
  };
  const server = await startServer(parts);
  if (server === undefined) throw new Error("nothing is served");
  return { ...server, lines, parts };
}
