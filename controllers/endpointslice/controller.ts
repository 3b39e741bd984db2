import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { BACKING_POD_FIELDS, SELECTOR_INDEX, selectorEntry } from "../../pkg/endpoints/backing-pods.ts";
import { serviceKeyOf, SliceTracker } from "../../pkg/endpoints/slice-tracker.ts";
import { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";
import { backingPodHandler, serviceHandler, sliceHandler } from "../../pkg/controller/endpoint-handlers.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { bucketLimiter, exponentialLimiter, maxOfLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { SERVICE_INDEX, type SliceContext } from "./context.ts";
import { nodeHandler } from "./handlers.ts";
import { isManagedHere } from "./slice-object.ts";
import { syncService } from "./sync.ts";
import { SliceMetrics } from "./sync-metrics.ts";
import { TopologyCache } from "./topology-cache.ts";
import { TOPOLOGY_FIELDS } from "./traffic-distribution.ts";
import { NODE_FIELDS } from "./zone-shares.ts";

export interface EndpointSliceSettings {
  readonly workers: number;
  readonly maxEndpointsPerSlice: number;
  /** Changes of pods wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

const QUEUE = "endpoint_slice";
const MAX_RETRIES = 15;
const LEAST_SLICE_DELAY_MS = 1_000;
const SERVICE_FIELDS = [
  ...TOPOLOGY_FIELDS,
  "spec.type",
  "spec.selector",
  "spec.ports",
  "spec.clusterIP",
  "spec.ipFamilies",
  "spec.publishNotReadyAddresses",
  "spec.trafficDistribution",
];

/** Keeps the EndpointSlices of Services with a selector: which pods there are, where, and whether they are ready. */
export function endpointSliceController(settings: EndpointSliceSettings): ControllerDescriptor {
  return {
    name: "endpointslice-controller",
    aliases: ["endpointslice"],
    enabledByDefault: true,
    requires: {},
    clientName: "endpointslice-controller",
    eventSource: "endpoint-slice-controller",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: EndpointSliceSettings): Controller {
  const queue = createWorkQueue<string>({
    clock: env.clock,
    metrics: env.metrics,
    name: QUEUE,
    // Every failure may be about many big writes, so retries begin slowly.
    rateLimiter: maxOfLimiter(exponentialLimiter(1_000, 1_000_000), bucketLimiter(env.clock, 10, 100)),
  });
  const zones = createWorkQueue<string>({ clock: env.clock });
  const { context, synced } = listen(env, settings, queue, zones);
  const { topology, nodes } = context;
  // Before the first sync, which would take hints away if it did not know the nodes.
  const ready = async (signal: AbortSignal): Promise<void> => {
    await synced(signal);
    topology.setNodes(nodes.list());
  };
  const common = { ready, clock: env.clock, log: env.log };
  const pool = new WorkerPool({
    ...common,
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => syncService(key, context, log, signal),
    maxRetries: MAX_RETRIES,
  });
  const zonePool = new WorkerPool({
    ...common,
    queue: zones,
    workers: 1,
    sync: async () => {
      topology.setNodes(nodes.list());
      for (const key of topology.overloadedServices()) queue.add(key);
      return {};
    },
  });
  return {
    run: async (signal) => {
      await Promise.all([pool.run(signal), zonePool.run(signal)]);
    },
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}

interface Listening {
  readonly context: SliceContext;
  readonly synced: (signal: AbortSignal) => Promise<void>;
}

/** Services go into the one queue; that nodes have changed, into the other. */
function listen(
  env: Env,
  settings: EndpointSliceSettings,
  queue: WorkQueue<string>,
  zones: WorkQueue<string>,
): Listening {
  const services = env.informers.informer<Service>(resources.services, { fields: SERVICE_FIELDS });
  const pods = env.informers.informer<Pod>(resources.pods, { fields: BACKING_POD_FIELDS });
  const nodes = env.informers.informer<Node>(resources.nodes, { fields: NODE_FIELDS });
  const slices = env.informers.informer<EndpointSlice>(resources.endpointSlices);
  services.addIndex(SELECTOR_INDEX, selectorEntry);
  slices.addIndex(SERVICE_INDEX, managedServiceKey);
  const tracker = new SliceTracker(slices);
  const batchMs = settings.updatesBatchPeriodMs;
  const delayMs = Math.max(batchMs, LEAST_SLICE_DELAY_MS);
  const synced = whenSynced(env.clock, [
    services.addHandler(serviceHandler(queue)),
    pods.addHandler(backingPodHandler(services.lister, queue, batchMs)),
    slices.addHandler(sliceHandler(queue, { tracker, isManaged: isManagedHere, delayMs })),
    nodes.addHandler(nodeHandler(() => zones.add("zones"))),
  ]);
  const context: SliceContext = {
    clock: env.clock,
    services: services.lister,
    pods: pods.lister,
    nodes: nodes.lister,
    slices: slices.lister,
    client: env.client.clientFor<EndpointSlice>(resources.endpointSlices),
    events: env.events,
    tracker,
    triggerTimes: new TriggerTimes(),
    topology: new TopologyCache(),
    metrics: new SliceMetrics(env.metrics, settings.maxEndpointsPerSlice),
    maxEndpoints: settings.maxEndpointsPerSlice,
  };
  return { context, synced };
}

function managedServiceKey(slice: EndpointSlice): readonly string[] {
  const key = isManagedHere(slice) ? serviceKeyOf(slice) : undefined;
  return key === undefined ? [] : [key];
}
