import { resources } from "../../../../pkg/api/resources.ts";
import type { Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import { follow } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { quantile } from "../median.ts";
import { createNamespace, firstPod, plainDeployment } from "../probe.ts";
import type { Workload } from "../workload.ts";

const PROBES = 20;
/** Slowly enough that the probes themselves stay below the default limits. */
const PROBE_EVERY_MS = 500;
const LIMIT_MS = 240_000;

interface Noise {
  readonly id: string;
  readonly title: string;
  readonly limits: "lifted" | "default";
  /** One-replica Deployments that another namespace has just got. */
  readonly deployments: number;
  readonly goal?: number;
}

/** How long one-replica Deployments of quiet namespaces wait for their pods behind the queue of a noisy one. */
export function quietNamespace({ id, title, limits, deployments, goal }: Noise): Workload {
  const bound = goal === undefined ? {} : { goal: { bound: "at most", value: goal } as const };
  return {
    id,
    title,
    needs: ["deployment-controller", "replicaset-controller"],
    rounds: 1,
    figures: {
      p50: { label: "create to pod, p50", unit: "s", ...bound },
      p99: { label: "create to pod, p99", unit: "s", ...bound },
    },
    play: async (stage, start) => {
      const { client } = stage;
      const manager = await start({ limits });
      await createNamespace(client, "first");
      await client.clientFor(resources.deployments).create(plainDeployment("first", "first", 1));
      await firstPod(client, "first", "first", LIMIT_MS);
      await createNamespace(client, "noisy");
      const quiet = Array.from({ length: PROBES }, (_, index) => `quiet-${index}`);
      await inParallel(quiet, async (namespace) => createNamespace(client, namespace));
      // What the manager does about new namespaces is not the load.
      await manager.settle(LIMIT_MS);
      const createdMs = new Map<string, number>();
      const seconds: number[] = [];
      const pods = follow<Pod>(client, resources.pods, { labelSelector: "app=probe" }, ({ type, object }) => {
        const { namespace = "" } = object.metadata;
        if (type === "ADDED")
          seconds.push((realClock.monotonicMs() - (createdMs.get(namespace) ?? Number.NaN)) / 1_000);
      });
      try {
        await inParallel(Array.from({ length: stage.scaled(deployments) }), async (_, index) =>
          client.clientFor(resources.deployments).create(plainDeployment("noisy", `noisy-${index}`, 1)),
        );
        for (const namespace of quiet) {
          createdMs.set(namespace, realClock.monotonicMs());
          await client.clientFor(resources.deployments).create(plainDeployment(namespace, "probe", 1));
          await sleep(realClock, PROBE_EVERY_MS);
        }
        await pods.until("all quiet namespaces have their pods", () => seconds.length === PROBES, LIMIT_MS);
      } finally {
        await pods.stop();
      }
      const points = seconds
        .toSorted((a, b) => a - b)
        .map((value, index): [number, number] => [((index + 1) * 100) / PROBES, value]);
      return {
        figures: { p50: quantile(seconds, 0.5), p99: quantile(seconds, 0.99) },
        curves: { latency: { unit: "s", points }, RSS: manager.rss },
      };
    },
  };
}
