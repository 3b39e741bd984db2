import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { devicesOf } from "../../pkg/api/quota/devices.ts";
import type { Resource, TypedResource } from "../../pkg/api/resource.ts";
import type { EventHandler, SharedInformer } from "../../pkg/cache/informer.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { DeviceClass, ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { Pod, ResourceQuota } from "../../pkg/api/types/core-v1.gen.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import { type Listening, Monitors } from "../../pkg/controller/monitors.ts";
import type { SyncFunction } from "../../pkg/controller/sync.ts";
import { WorkerPool } from "../../pkg/controller/worker.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import type { QuotaContext } from "./context.ts";
import {
  countAnew,
  countListed,
  deviceClassHandler,
  objectHandler,
  quotaHandler,
  type QuotaQueues,
} from "./handlers.ts";
import { fieldsOf, measured } from "./measured.ts";
import { Pause } from "./pause.ts";
import { isQuotable } from "./quotable.ts";
import { syncQuota } from "./sync.ts";
import { syncChange } from "./sync-changes.ts";

export interface ResourceQuotaSettings {
  /** For each of the two queues. */
  readonly workers: number;
  /** Everything is counted anew so often; 0: never. */
  readonly syncPeriodMs: number;
}

const PRIMARY = "resourcequota_primary";
const URGENT = "resourcequota_priority";
const CHANGES = "resource_quota_controller_resource_changes";

/** Counts what is used of the quotas of every namespace. */
export function resourceQuotaController(settings: ResourceQuotaSettings): ControllerDescriptor {
  return {
    name: "resourcequota-controller",
    clientName: "resourcequota-controller",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: ResourceQuotaSettings): Controller {
  // Whole, as they are written back.
  const quotas = env.informers.informer<ResourceQuota>(resources.resourceQuotas);
  const queues: QuotaQueues = {
    primary: queueOf(env, PRIMARY),
    urgent: queueOf(env, URGENT),
    changes: queueOf(env, CHANGES),
  };
  // Before any informer runs: what is read of the objects must be known by then.
  for (const { resource, fields } of measured) env.informers.informer<ApiObject>(resource, { fields });
  const classes = env.informers.informer<DeviceClass>(resources.deviceClasses, {
    fields: ["spec.extendedResourceName"],
  });
  // Nothing is counted before the first look at what there is to count.
  const pause = new Pause();
  const monitors = new Monitors({
    discovery: env.client.discovery,
    informers: env.informers,
    isWanted: isQuotable,
    listen: (resource) => listen(env, resource, objectHandler(resource, context, queues)),
    onChange: (state) => (state === "begins" ? pause.begin() : pause.end()),
    onListed: ({ resource }) => countListed(resource, context, queues),
    clock: env.clock,
    log: env.log,
  });
  const context: QuotaContext = {
    quotas: quotas.lister,
    client: env.client.clientFor<ResourceQuota>(resources.resourceQuotas),
    monitors,
    devices: devicesFrom(env, classes),
    mayUseLess: new Set(),
    loweredMs: new Map(),
    clock: env.clock,
  };
  classes.addHandler(deviceClassHandler(context, queues), { resyncMs: 0 });
  const registration = quotas.addHandler(quotaHandler(context, queues), { resyncMs: 0 });
  const ready = whenSynced(env.clock, [registration, pause]);
  const { clock, log } = env;
  const poolOf = (queue: WorkQueue<string>): WorkerPool<string> => {
    const sync: SyncFunction<string> = async ({ key, signal }) => syncQuota(key, context, signal);
    return new WorkerPool({ queue, workers: settings.workers, sync, ready, clock, log, gate: pause });
  };
  const pools = {
    [PRIMARY]: poolOf(queues.primary),
    [URGENT]: poolOf(queues.urgent),
    [CHANGES]: new WorkerPool<string>({
      queue: queues.changes,
      workers: 1,
      sync: async ({ key }) => syncChange(key, context, queues),
      ready: async () => undefined,
      clock,
      log,
    }),
  };
  return {
    run: async (signal) => {
      await Promise.all([
        monitors.follow(signal),
        untilAborted(
          countAllRegularly(context, queues.primary, settings.syncPeriodMs, ready, signal),
          signal,
        ),
        ...Object.values(pools).map(async (pool) => pool.run(signal)),
      ]);
    },
    health: () => ({
      pools: Object.fromEntries(Object.entries(pools).map(([name, pool]) => [name, pool.liveness()])),
    }),
  };
}

function queueOf(env: Env, name: string): WorkQueue<string> {
  return createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name });
}

function devicesFrom({ informers }: Env, classes: SharedInformer<DeviceClass>): QuotaContext["devices"] {
  const listerOf = <T extends ApiObject>(resource: TypedResource<T>): Lister<T> =>
    informers.informer<T>(resource, { fields: fieldsOf(resource) ?? [] }).lister;
  const pods = listerOf<Pod>(resources.pods);
  const claims = listerOf<ResourceClaim>(resources.resourceClaims);
  return () =>
    classes.hasSynced()
      ? devicesOf({
          classes: classes.lister.list(),
          podNamed: (namespace, name) => pods.get(namespace, name),
          claimsIn: (namespace) => claims.inNamespace(namespace),
        })
      : undefined;
}

function listen({ informers }: Env, resource: Resource, handler: EventHandler<ApiObject>): Listening {
  const fields = fieldsOf(resource);
  const informer =
    fields === undefined
      ? informers.metadataInformer(resource, { fields: [] })
      : informers.informer<ApiObject>(resource, { fields });
  return { informer, registration: informer.addHandler(handler, { resyncMs: 0 }) };
}

/** Changes that no event tells of (the end of a grace period, a lost write) are found at the next full count. */
async function countAllRegularly(
  context: QuotaContext,
  queue: WorkQueue<string>,
  periodMs: number,
  ready: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (periodMs === 0) return;
  await ready(signal);
  // Those that were there at the start are counted because they are new to the cache.
  for (;;) {
    await sleep(context.clock, periodMs, signal);
    for (const quota of context.quotas.list()) countAnew(context, queue, quota, "background");
  }
}

async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
