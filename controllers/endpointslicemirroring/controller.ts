import { defineController } from "../../pkg/controller/kit.ts";
import { mirrorContext } from "./context.ts";
import { endpointsRule, serviceRule } from "./handlers.ts";
import { syncEndpoints, syncGone } from "./sync.ts";

export interface EndpointSliceMirroringSettings {
  readonly workers: number;
  readonly maxEndpointsPerSubset: number;
  /** Changes of slices wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

/** Writes Endpoints that people keep by hand into EndpointSlices, for readers that know nothing else. */
export const endpointSliceMirroringController = defineController(
  {
    name: "endpointslice-mirroring-controller",
    clientName: "endpointslicemirroring-controller",
    eventSource: "endpoint-slice-mirroring-controller",
  },
  (kit, settings: EndpointSliceMirroringSettings) => {
    const context = mirrorContext(kit, settings.maxEndpointsPerSubset);
    const { endpoints, services, slices } = context;
    const queue = kit.ownerQueue({
      name: "endpoint_slice_mirroring",
      workers: settings.workers,
      maxRetries: 15,
      // Every failure may be about many big writes, so retries begin slowly.
      backOff: { firstMs: 1_000, longestMs: 100_000 },
      owners: endpoints,
      wakes: endpointsRule,
      sync: async (sync) => syncEndpoints(sync, context),
      syncGone: async (sync) => syncGone(sync, context),
    });
    services.wakes(queue, serviceRule);
    slices.cache.wakes(queue, slices.rule(settings.updatesBatchPeriodMs));
  },
);
