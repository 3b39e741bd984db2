import { resources } from "../../../../pkg/api/resources.ts";
import type { Node } from "../../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import { follow } from "../follow.ts";
import { inParallel } from "../in-parallel.ts";
import { measured } from "../measured.ts";
import type { Curve } from "../outcome.ts";
import type { Workload } from "../workload.ts";

const LIMIT_MS = 900_000;
/** Creations under way at a time. */
const AT_ONCE = 64;

interface Crowd {
  readonly id: string;
  readonly title: string;
  readonly limits: "lifted" | "default";
  readonly nodes: number;
}

/** Nodes that come as fast as the API server takes them, and how long they wait for their ranges of pod addresses. */
export function nodeRanges({ id, title, limits, nodes }: Crowd): Workload {
  return {
    id,
    title,
    needs: ["node-ipam-controller"],
    // Others have something to do about Nodes that nobody keeps up.
    alone: true,
    rounds: 1,
    figures: {
      seconds: { label: "until all have a range", unit: "s", goal: { bound: "at most", value: 1 } },
      behind: { label: "of these, after the last was created", unit: "s" },
      cpu: { label: "CPU", unit: "s", goal: { bound: "at most", value: 1 } },
      writes: { label: "API writes a Node, Events too", unit: "" },
      settled: { label: "settled RSS", unit: "MiB", goal: { bound: "at most", value: 0.5 } },
      peak: { label: "peak RSS", unit: "MiB" },
    },
    play: async (stage, start) => {
      const { client } = stage;
      const count = stage.scaled(nodes);
      const manager = await start({ limits, more: ["--allocate-node-cidrs", "--cluster-cidr=10.0.0.0/8"] });
      await manager.settle(LIMIT_MS);
      const ranges = new Map<string, string>();
      const curve: Curve = { unit: "", points: [] };
      const startMs = realClock.monotonicMs();
      const following = follow<Node>(client, resources.nodes, {}, ({ object: { metadata, spec } }) => {
        const { name } = metadata;
        if (spec?.podCIDR === undefined || name === undefined || ranges.has(name)) return;
        ranges.set(name, spec.podCIDR);
        curve.points.push([(realClock.monotonicMs() - startMs) / 1_000, ranges.size]);
      });
      try {
        let createdMs = Number.NaN;
        let rangedMs = Number.NaN;
        const { seconds, cpuSeconds, writes } = await measured(manager, async () => {
          const names = Array.from({ length: count }, (_, index) => `crowd-${index}`);
          const create = async (name: string) =>
            client.clientFor<Node>(resources.nodes).create({ metadata: { name } });
          await inParallel(names, create, AT_ONCE);
          createdMs = realClock.monotonicMs();
          await following.until("all Nodes have a range", () => ranges.size >= count, LIMIT_MS);
          rangedMs = realClock.monotonicMs();
        });
        if (new Set(ranges.values()).size < count) throw new Error("two Nodes have one range");
        const { rssMiB } = await manager.settle(LIMIT_MS);
        return {
          figures: {
            seconds,
            behind: (rangedMs - createdMs) / 1_000,
            cpu: cpuSeconds,
            writes: writes / count,
            settled: rssMiB,
            peak: manager.usage().peakRssMiB,
          },
          curves: { RSS: manager.rss, "Nodes with a range": curve },
        };
      } finally {
        await following.stop();
      }
    },
  };
}
