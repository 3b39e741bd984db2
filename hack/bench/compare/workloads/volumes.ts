import { resources } from "../../../../pkg/api/resources.ts";
import type { PersistentVolumeClaim } from "../../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { sleep } from "../../../../pkg/clock/wait.ts";
import { follow } from "../follow.ts";
import { createNamespace } from "../probe.ts";
import { conflictsOf, requestsOf, writesOf } from "../scraped-metrics.ts";
import type { Curve } from "../outcome.ts";
import type { Workload } from "../workload.ts";
import { attaching } from "./attaching.ts";
import { claimsOf, NAMESPACE, volumes } from "./volume-objects.ts";

const LIMIT_MS = 900_000;
const STEADY_MS = 60_000;
/** By then either program has given back what the work took. */
const REST_MS = 40_000;

interface Crowd {
  readonly id: string;
  readonly title: string;
  readonly claims: number;
  /** Requests a second; without limit when left out. */
  readonly qps?: number;
  readonly storeDelayMs?: number;
}

/** Claims that wait for a manager, with as many volumes that they could have. */
function binding({ id, title, claims, qps, storeDelayMs = 0 }: Crowd): Workload {
  const isLimited = qps !== undefined;
  return {
    id,
    title,
    needs: ["persistentvolume-binder-controller"],
    alone: true,
    rounds: isLimited ? 1 : 2,
    storeDelayMs,
    figures: {
      seconds: {
        label: "start until all are bound",
        unit: "s",
        goal: { bound: "at most", value: isLimited ? 1.05 : 0.2 },
      },
      cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
      writes: { label: "API writes a claim, Events too", unit: "" },
      conflicts: { label: "conflicts", unit: "", goal: { bound: "at most", value: 0, absolute: true } },
      settled: { label: "RSS 40 s after it", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
      peak: { label: "peak RSS", unit: "MiB" },
    },
    prepare: async (stage) => {
      const count = stage.scaled(claims);
      await createNamespace(stage.client, NAMESPACE);
      await stage.store([...volumes(count, false), ...claimsOf(count, false)]);
    },
    play: async (stage, start) => {
      const count = stage.scaled(claims);
      const bound = new Set<string>();
      const curve: Curve = { unit: "", points: [] };
      const more = isLimited ? [`--kube-api-qps=${qps}`, `--kube-api-burst=${qps}`] : [];
      const manager = await start({ limits: isLimited ? "default" : "lifted", more });
      const options = { namespace: NAMESPACE };
      const onEvent = ({ object }: { readonly object: PersistentVolumeClaim }): void => {
        const { metadata, status } = object;
        if (status?.phase !== "Bound" || bound.has(metadata.name ?? "")) return;
        bound.add(metadata.name ?? "");
        curve.points.push([manager.elapsedSeconds, bound.size]);
      };
      const following = follow(stage.client, resources.persistentVolumeClaims, options, onEvent);
      try {
        await following.until("all claims are bound", () => bound.size >= count, LIMIT_MS);
        const seconds = manager.elapsedSeconds;
        const { cpuSeconds } = await manager.settle(60_000);
        const { rssMiB, peakRssMiB } = await manager.settle(60_000, REST_MS);
        const metrics = await manager.metrics();
        return {
          figures: {
            seconds,
            cpu: cpuSeconds,
            writes: writesOf(metrics) / count,
            conflicts: conflictsOf(metrics),
            settled: rssMiB,
            peak: peakRssMiB,
          },
          curves: { RSS: manager.rss, "claims bound": curve },
        };
      } finally {
        await following.stop();
      }
    },
  };
}

const PAIRS = 10_000;

/** Nothing is to be done for claims that have their volumes. */
const idlePairs: Workload = {
  id: "v-idle",
  title: `${PAIRS.toLocaleString("en")} claims that have their volumes, for a minute`,
  needs: ["persistentvolume-binder-controller", "persistentvolume-attach-detach-controller"],
  rounds: 1,
  figures: {
    startCpu: { label: "CPU until it is settled", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU of a steady minute", unit: "s", goal: { bound: "at most", value: 1 } },
    requests: { label: "requests of it", unit: "" },
    rss: { label: "RSS after it", unit: "MiB", goal: { bound: "at most", value: 0.9 } },
  },
  prepare: async (stage) => {
    const count = stage.scaled(PAIRS);
    await createNamespace(stage.client, NAMESPACE);
    await stage.store([...volumes(count, true), ...claimsOf(count, true)]);
  },
  play: async (_, start) => {
    const manager = await start();
    const { cpuSeconds: startCpu } = await manager.settle(LIMIT_MS);
    const before = requestsOf(await manager.metrics());
    await sleep(realClock, STEADY_MS);
    const { cpuSeconds, rssMiB } = manager.usage();
    const requests = requestsOf(await manager.metrics()) - before;
    const figures = { startCpu, cpu: cpuSeconds - startCpu, requests, rss: rssMiB };
    return { figures, curves: { RSS: manager.rss } };
  },
};

export const volumeWorkloads: readonly Workload[] = [
  binding({ id: "v-bind-1k", title: "1,000 claims and as many volumes", claims: 1_000 }),
  binding({ id: "v-bind-10k", title: "10,000 claims and as many volumes", claims: 10_000 }),
  binding({
    id: "v-bind-slow",
    title: "1,000 claims and as many volumes, 10 ms for each write to etcd",
    claims: 1_000,
    storeDelayMs: 10,
  }),
  binding({
    id: "v-bind-limited",
    title: "1,000 claims and as many volumes, 100 requests a second",
    claims: 1_000,
    qps: 100,
  }),
  idlePairs,
  attaching,
];
