import { featureGates } from "../../pkg/api/feature-gates.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { plant, type PlantOptions } from "../../pkg/cluster/plant.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";

export interface HollowWorld {
  stop(): Promise<void>;
}

/**
 * Hollow nodes, a scheduler and a driver of volumes for a real API server: pods get a node, run and become ready. There is
 * nothing in it that a controller manager does: claims are bound by the one that is tried, or not at all.
 */
export function startHollowWorld(
  clients: ClientBuilder,
  nodes: number,
  more: Pick<PlantOptions, "tellsEvents" | "others"> = {},
): HollowWorld {
  const set = new ControllerSet({
    descriptors: plant({ nodes, ...more }),
    clients,
    gate: openGate,
    clock: realClock,
    random: realRandom,
    log: silentLogger,
    metrics: noMetrics,
    features: featureGates(),
    name: "hollow-world",
  });
  const stopping = new AbortController();
  const ended = set.run(stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

/** No controller of this repository takes the taint off new Nodes, or makes the ServiceAccounts that pods need. */
export const HOLLOW_WORLD_FLAGS: readonly string[] = [
  "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
];
