import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { serviceKeyOf, SliceTracker } from "../../pkg/endpoints/slice-tracker.ts";
import { sliceHandler } from "../../pkg/controller/endpoint-handlers.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { bucketLimiter, exponentialLimiter, maxOfLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { ENDPOINTS_INDEX, type MirrorContext } from "./context.ts";
import { endpointsHandler, serviceHandler } from "./handlers.ts";
import { isManagedHere } from "./mirror-slice.ts";
import { syncEndpoints } from "./sync.ts";
import { MirrorMetrics } from "./sync-metrics.ts";

export interface EndpointSliceMirroringSettings {
  readonly workers: number;
  readonly maxEndpointsPerSubset: number;
  /** Changes of slices wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

const QUEUE = "endpoint_slice_mirroring";
const MAX_RETRIES = 15;

/** Writes Endpoints that people keep by hand into EndpointSlices, for readers that know nothing else. */
export function endpointSliceMirroringController(
  settings: EndpointSliceMirroringSettings,
): ControllerDescriptor {
  return {
    name: "endpointslice-mirroring-controller",
    aliases: ["endpointslicemirroring"],
    enabledByDefault: true,
    requires: {},
    clientName: "endpointslicemirroring-controller",
    eventSource: "endpoint-slice-mirroring-controller",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: EndpointSliceMirroringSettings): Controller {
  const endpoints = env.informers.informer<Endpoints>(resources.endpoints);
  const services = env.informers.informer<Service>(resources.services, { fields: ["spec.selector"] });
  const slices = env.informers.informer<EndpointSlice>(resources.endpointSlices);
  slices.addIndex(ENDPOINTS_INDEX, managedKey);
  const queue = createWorkQueue<string>({
    clock: env.clock,
    metrics: env.metrics,
    name: QUEUE,
    // Every failure may be about many big writes, so retries begin slowly.
    rateLimiter: maxOfLimiter(exponentialLimiter(1_000, 100_000), bucketLimiter(env.clock, 10, 100)),
  });
  const context: MirrorContext = {
    endpoints: endpoints.lister,
    services: services.lister,
    slices: slices.lister,
    client: env.client.clientFor<EndpointSlice>(resources.endpointSlices),
    events: env.events,
    tracker: new SliceTracker(slices),
    metrics: new MirrorMetrics(env.metrics, settings.maxEndpointsPerSubset),
    maxPerSubset: settings.maxEndpointsPerSubset,
    clock: env.clock,
  };
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => syncEndpoints(key, context, log, signal),
    ready: whenSynced(env.clock, [
      endpoints.addHandler(endpointsHandler(queue)),
      services.addHandler(serviceHandler(queue)),
      slices.addHandler(
        sliceHandler(queue, {
          tracker: context.tracker,
          isManaged: isManagedHere,
          delayMs: settings.updatesBatchPeriodMs,
        }),
      ),
    ]),
    clock: env.clock,
    log: env.log,
    maxRetries: MAX_RETRIES,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}

function managedKey(slice: EndpointSlice): readonly string[] {
  const key = isManagedHere(slice) ? serviceKeyOf(slice) : undefined;
  return key === undefined ? [] : [key];
}
