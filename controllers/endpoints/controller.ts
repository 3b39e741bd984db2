import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Pod, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { BACKING_POD_FIELDS, SELECTOR_INDEX, selectorEntry } from "../../pkg/endpoints/backing-pods.ts";
import { TriggerTimes } from "../../pkg/endpoints/trigger-times.ts";
import { backingPodHandler, serviceHandler } from "../../pkg/controller/endpoint-handlers.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { ConsistencyStore } from "../../pkg/controller/consistency.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { EndpointsContext } from "./context.ts";
import { endpointsHandler } from "./handlers.ts";
import { CONTROLLER_NAME } from "./plan.ts";
import { syncService } from "./sync.ts";

export interface EndpointsSettings {
  readonly workers: number;
  /** Changes of pods wait this long, so that several go into one write. */
  readonly updatesBatchPeriodMs: number;
}

const QUEUE = "endpoint";
const MAX_RETRIES = 15;
const SERVICE_FIELDS = [
  "spec.type",
  "spec.selector",
  "spec.ports",
  "spec.clusterIP",
  "spec.ipFamilies",
  "spec.publishNotReadyAddresses",
];

/** Keeps the Endpoints of Services with a selector: what EndpointSlices have come from, for readers of the old kind. */
export function endpointsController(settings: EndpointsSettings): ControllerDescriptor {
  return {
    name: "endpoints-controller",
    aliases: ["endpoint"],
    enabledByDefault: true,
    requires: {},
    clientName: "endpoint-controller",
    eventSource: CONTROLLER_NAME,
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: EndpointsSettings): Controller {
  const services = env.informers.informer<Service>(resources.services, { fields: SERVICE_FIELDS });
  const pods = env.informers.informer<Pod>(resources.pods, { fields: BACKING_POD_FIELDS });
  const endpoints = env.informers.informer<Endpoints>(resources.endpoints);
  services.addIndex(SELECTOR_INDEX, selectorEntry);
  const queue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const consistency = new ConsistencyStore({
    clock: env.clock,
    log: env.log,
    caches: [{ resource: resources.endpoints, cache: endpoints }],
  });
  const context: EndpointsContext = {
    clock: env.clock,
    services: services.lister,
    pods: pods.lister,
    endpoints: endpoints.lister,
    client: env.client.clientFor<Endpoints>(resources.endpoints),
    serviceClient: env.client.clientFor<Service>(resources.services),
    events: env.events,
    triggerTimes: new TriggerTimes(),
    consistency,
  };
  const pool = new WorkerPool({
    queue,
    workers: settings.workers,
    sync: async ({ key, log, signal }) => syncService(key, context, log, signal),
    ready: whenSynced(env.clock, [
      services.addHandler(serviceHandler(queue)),
      pods.addHandler(backingPodHandler(context.services, queue, settings.updatesBatchPeriodMs)),
      endpoints.addHandler(endpointsHandler(context.services, queue)),
    ]),
    clock: env.clock,
    log: env.log,
    maxRetries: MAX_RETRIES,
    gate: consistency,
  });
  return {
    run: async (signal) => pool.run(signal),
    health: () => ({ pools: { [QUEUE]: pool.liveness() } }),
  };
}
