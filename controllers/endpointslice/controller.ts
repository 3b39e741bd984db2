import { backingPodRule } from "../../pkg/controller/endpoints/backing-pod-rule.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { sliceContext } from "./context.ts";
import { nodeRule } from "./handlers.ts";
import { forgetService, syncService } from "./sync.ts";

export interface EndpointSliceSettings {
  readonly workers: number;
  readonly maxEndpointsPerSlice: number;
  /** Changes of pods wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

const LEAST_SLICE_DELAY_MS = 1_000;

/** Keeps the EndpointSlices of Services with a selector: which pods there are, where, and whether they are ready. */
export const endpointSliceController = defineController(
  { name: "endpointslice-controller", eventSource: "endpoint-slice-controller" },
  (kit, settings: EndpointSliceSettings) => {
    const context = sliceContext(kit, settings.maxEndpointsPerSlice);
    const { services, pods, nodes, slices, topology } = context;
    const batchMs = settings.updatesBatchPeriodMs;
    const queue = kit.ownerQueue({
      name: "endpoint_slice",
      workers: settings.workers,
      maxRetries: 15,
      // Every failure may be about many big writes, so retries begin slowly.
      backOff: { firstMs: 1_000 },
      owners: services,
      sync: async (sync) => syncService(sync, context),
      gone: (key) => forgetService(key, context),
    });
    pods.wakes(queue, backingPodRule(services, batchMs));
    slices.cache.wakes(queue, slices.rule(Math.max(batchMs, LEAST_SLICE_DELAY_MS)));

    const readNodes = (): void => topology.setNodes(nodes.lister.list());
    // The first sync would take hints away if it did not know the nodes.
    kit.beforeSyncs(readNodes);
    const zones = kit.queue({
      name: "endpoint_slice_zones",
      unmeasured: true,
      workers: 1,
      sync: async () => {
        readNodes();
        for (const key of topology.overloadedServices()) queue.add(key);
        return {};
      },
    });
    nodes.wakes(zones, nodeRule);
  },
);
