import { createNamespace } from "../probe.ts";
import { STORED, storedConfigMaps } from "../stored-objects.ts";
import type { Workload } from "../workload.ts";

const COUNT = 20_000;
const BYTES = 50_000;
const CHUNK = 500;
const LIMIT_MS = 180_000;
const REST_MS = 10_000;

/** Large objects of which no controller needs but the metadata. */
export const configMaps: Workload = {
  id: "g-config-maps",
  title: `${COUNT.toLocaleString("en")} ConfigMaps of 50 KB`,
  needs: ["garbage-collector-controller"],
  sharesCluster: true,
  rounds: 1,
  figures: {
    settled: { label: "settled RSS", unit: "MiB", goal: { bound: "at most", value: 0.25 } },
    peak: { label: "peak RSS", unit: "MiB" },
    cpu: { label: "CPU", unit: "s" },
  },
  prepare: async (stage) => {
    await createNamespace(stage.client, STORED);
    const chunk = [];
    for (const configMap of storedConfigMaps(stage.scaled(COUNT), BYTES)) {
      chunk.push(configMap);
      if (chunk.length === CHUNK) await stage.store(chunk.splice(0));
    }
    await stage.store(chunk);
  },
  play: async (_, start) => {
    const manager = await start();
    const usage = await manager.settle(LIMIT_MS, REST_MS);
    return {
      figures: { settled: usage.rssMiB, peak: usage.peakRssMiB, cpu: usage.cpuSeconds },
      curves: { RSS: manager.rss },
    };
  },
};
