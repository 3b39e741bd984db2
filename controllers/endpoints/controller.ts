import { backingPodRule } from "../../pkg/controller/endpoints/backing-pod-rule.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { endpointsContext } from "./context.ts";
import { endpointsRule } from "./handlers.ts";
import { CONTROLLER_NAME } from "./plan.ts";
import { syncLeftover, syncService } from "./sync.ts";

export interface EndpointsSettings {
  readonly workers: number;
  /** Changes of pods wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

/** Keeps the Endpoints of Services with a selector: what EndpointSlices have come from, for readers of the old kind. */
export const endpointsController = defineController(
  {
    name: "endpoints-controller",
    clientName: "endpoint-controller",
    eventSource: CONTROLLER_NAME,
  },
  (kit, { workers, updatesBatchPeriodMs }: EndpointsSettings) => {
    const context = endpointsContext(kit);
    const queue = kit.ownerQueue({
      name: "endpoint",
      workers,
      maxRetries: 15,
      owners: context.services,
      sync: async (sync) => syncService(sync, context),
      syncGone: async (sync) => syncLeftover(sync, context),
    });
    context.pods.wakes(queue, backingPodRule(context.services, updatesBatchPeriodMs));
    context.endpoints.wakes(queue, endpointsRule(context.services));
  },
);
