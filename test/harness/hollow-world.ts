import { featureGates } from "../../pkg/api/feature-gates.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { plant } from "../../pkg/cluster/plant.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import { volumeBinder } from "./volume-binder.ts";

export interface HollowWorld {
  stop(): Promise<void>;
}

/** Hollow nodes, a scheduler and volumes for a real API server: pods get a node, run and become ready. */
export function startHollowWorld(clients: ClientBuilder, nodes: number, tellsEvents = false): HollowWorld {
  const set = new ControllerSet({
    descriptors: [...plant({ nodes, tellsEvents }), volumeBinder()],
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
