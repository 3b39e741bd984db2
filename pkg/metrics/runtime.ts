import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Registry } from "prom-client";
import { networkOctets, virtualMemoryLimit } from "./process-files.ts";

/** Gauges under the names of counters, of which those without "total" say as much. */
const MISNAMED = [
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
  "nodejs_active_resources_total",
];

const NETWORK = "/proc/self/net/netstat";
const LIMITS = "/proc/self/limits";

/** The process_* and nodejs_* families: prom-client's, and what Go programs have beside these. */
export async function runtimeRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  // Other systems and some sandboxes do not tell, and Go programs have no such metrics there.
  if (!existsSync(NETWORK) || !existsSync(LIMITS)) return registry;
  const registers: Registry[] = [];
  for (const direction of ["receive", "transmit"] as const)
    registry.registerMetric(
      new Counter({
        name: `process_network_${direction}_bytes_total`,
        help: `Bytes of all that this process's network did ${direction}.`,
        registers,
        async collect() {
          this.reset();
          this.inc(networkOctets(await readFile(NETWORK, "utf8"), direction));
        },
      }),
    );
  registry.registerMetric(
    new Gauge({
      name: "process_virtual_memory_max_bytes",
      help: "How much virtual memory this process may have, in bytes.",
      registers,
      async collect() {
        this.set(virtualMemoryLimit(await readFile(LIMITS, "utf8")));
      },
    }),
  );
  return registry;
}
