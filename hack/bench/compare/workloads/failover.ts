import { resources } from "../../../../pkg/api/resources.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ManagerProcess } from "../manager-process.ts";
import { createNamespace, firstPod, plainDeployment } from "../probe.ts";
import type { Stage } from "../stage.ts";
import type { StartManager, Workload } from "../workload.ts";

const LIMIT_MS = 60_000;

/** Two replicas; the one that leads is ended, and the other has a new Deployment to see to. */
export const failover: Workload = {
  id: "j-failover",
  title: "from the end of the leader to the next pod",
  needs: ["deployment-controller", "replicaset-controller"],
  figures: {
    orderly: { label: "after SIGTERM", unit: "s" },
    killed: { label: "after SIGKILL", unit: "s" },
  },
  play: async (stage, start) => {
    const first = await start();
    await podOf(stage, "first");
    const { gap: orderly, next: second } = await handOver(stage, start, first, "SIGTERM");
    const { gap: killed } = await handOver(stage, start, second, "SIGKILL");
    return { figures: { orderly, killed }, curves: {} };
  },
};

async function handOver(
  stage: Stage,
  start: StartManager,
  leader: ManagerProcess,
  signal: NodeJS.Signals,
): Promise<{ readonly gap: number; readonly next: ManagerProcess }> {
  const next = await start();
  await next.settle(LIMIT_MS);
  const startMs = realClock.monotonicMs();
  const ended = leader.end(signal);
  await podOf(stage, signal.toLowerCase());
  const gap = (realClock.monotonicMs() - startMs) / 1_000;
  await ended;
  return { gap, next };
}

async function podOf({ client }: Stage, namespace: string): Promise<void> {
  await createNamespace(client, namespace);
  await client.clientFor(resources.deployments).create(plainDeployment(namespace, "probe", 1));
  await firstPod(client, namespace, "probe", LIMIT_MS);
}
