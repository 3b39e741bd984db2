import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { bucketLimiter, exponentialLimiter, maxOfLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import { mirrorContext } from "./context.ts";
import { endpointsRule, serviceRule } from "./handlers.ts";
import { syncEndpoints, syncGone } from "./sync.ts";

export interface EndpointSliceMirroringSettings {
  readonly workers: number;
  readonly maxEndpointsPerSubset: number;
  /** Changes of slices wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

const MAX_RETRIES = 15;

/** Writes Endpoints that people keep by hand into EndpointSlices, for readers that know nothing else. */
export function endpointSliceMirroringController(
  settings: EndpointSliceMirroringSettings,
): ControllerDescriptor {
  return {
    name: "endpointslice-mirroring-controller",
    clientName: "endpointslicemirroring-controller",
    eventSource: "endpoint-slice-mirroring-controller",
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, settings: EndpointSliceMirroringSettings): void {
  const context = mirrorContext(kit, settings.maxEndpointsPerSubset);
  const { endpoints, services, slices } = context;
  const queue = kit.ownerQueue({
    name: "endpoint_slice_mirroring",
    workers: settings.workers,
    maxRetries: MAX_RETRIES,
    // Every failure may be about many big writes, so retries begin slowly.
    rateLimiter: maxOfLimiter(exponentialLimiter(1_000, 100_000), bucketLimiter(kit.env.clock, 10, 100)),
    owners: endpoints,
    wakes: endpointsRule,
    sync: async (sync) => syncEndpoints(sync, context),
    syncGone: async (sync) => syncGone(sync, context),
  });
  services.wakes(queue, serviceRule);
  slices.cache.wakes(queue, slices.rule(settings.updatesBatchPeriodMs));
}
