import { resources } from "../../../../pkg/api/resources.ts";
import { createNamespace, firstPod, plainDeployment } from "../probe.ts";
import { writesOf } from "../scraped-metrics.ts";
import { STORED, storedWorkloads } from "../stored-objects.ts";
import type { Workload } from "../workload.ts";

const REST_MS = 10_000;
const LIMIT_MS = 120_000;

/**
 * The manager comes to a cluster where all has been running for long, and one Deployment has been made a moment ago: its
 * pod shows that the manager leads and that its caches are complete.
 */
export function coldStart(pods: number): Workload {
  const settledGoal = pods >= 20_000 ? { goal: { bound: "at most", value: 0.5 } as const } : {};
  return {
    id: `a-${pods / 1_000}k`,
    title: `cold start, ${pods.toLocaleString("en")} pods of 4 KB`,
    needs: ["deployment-controller", "replicaset-controller"],
    sharesCluster: true,
    figures: {
      firstPod: { label: "start to first new pod", unit: "s", goal: { bound: "at most", value: 1 } },
      cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
      peak: { label: "peak RSS", unit: "MiB" },
      settled: { label: "settled RSS", unit: "MiB", ...settledGoal },
      writes: { label: "writes", unit: "" },
      stall: {
        label: "longest stall of the event loop",
        unit: "ms",
        goal: { bound: "at most", value: 50, absolute: true },
      },
    },
    prepare: async (stage) => {
      await createNamespace(stage.client, STORED);
      await stage.store(storedWorkloads(stage.scaled(pods)));
    },
    play: async (stage, start) => {
      const { client } = stage;
      const namespace = `probe-${Math.floor(performance.now())}`;
      await createNamespace(client, namespace);
      await client.clientFor(resources.deployments).create(plainDeployment(namespace, "probe", 1));
      const manager = await start();
      await firstPod(client, namespace, "probe", LIMIT_MS);
      const seconds = manager.elapsedSeconds;
      const usage = await manager.settle(LIMIT_MS, REST_MS);
      const metrics = await manager.metrics();
      return {
        figures: {
          firstPod: seconds,
          cpu: usage.cpuSeconds,
          peak: usage.peakRssMiB,
          settled: usage.rssMiB,
          writes: writesOf(metrics),
          ...stallOf(metrics.sum("nodejs_eventloop_lag_max_seconds")),
        },
        curves: { RSS: manager.rss },
      };
    },
  };
}

/** Only a program on Node.js tells of it. */
function stallOf(seconds: number): { readonly stall?: number } {
  return seconds === 0 ? {} : { stall: seconds * 1_000 };
}
