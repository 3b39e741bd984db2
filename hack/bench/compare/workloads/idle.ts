import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import { requestsOf } from "../scraped-metrics.ts";
import type { Workload } from "../workload.ts";

const IDLE_MS = 300_000;

/** An empty cluster, and nothing to do but to keep the Lease. */
export const idle: Workload = {
  id: "i-idle",
  title: `idle for ${IDLE_MS / 60_000} minutes, figures for an hour`,
  needs: [],
  figures: {
    rss: { label: "RSS", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
    cpu: { label: "CPU", unit: "s/h" },
    requests: { label: "requests", unit: "/h" },
  },
  play: async (_, start) => {
    const manager = await start();
    const before = await manager.settle(60_000);
    const requestsBefore = requestsOf(await manager.metrics());
    await sleep(realClock, IDLE_MS);
    const after = manager.usage();
    const requests = requestsOf(await manager.metrics()) - requestsBefore;
    const hours = IDLE_MS / 3_600_000;
    return {
      figures: {
        rss: after.rssMiB,
        cpu: (after.cpuSeconds - before.cpuSeconds) / hours,
        requests: requests / hours,
      },
      curves: { RSS: manager.rss },
    };
  },
};
