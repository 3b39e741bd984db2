import type { ApiObject } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import type { QuotaContext } from "./context.ts";
import type { Pause } from "./pause.ts";
import { monitorKey, planMonitors } from "./quotable.ts";

const PERIOD_MS = 30_000;
const POLL_MS = 100;

/** Looks every 30 seconds what the API server offers, and watches all of it that can have a quota. */
export async function followDiscovery(
  context: QuotaContext,
  handlerOf: (resource: Resource) => EventHandler<ApiObject>,
  pause: Pause,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await syncMonitors(context, handlerOf, pause, signal);
    } catch (error) {
      signal.throwIfAborted();
      // The monitors that there are go on.
      context.log.error(error, "What the API server offers could not be learned");
    }
    await sleep(context.clock, PERIOD_MS, signal);
  }
}

async function syncMonitors(
  context: QuotaContext,
  handlerOf: (resource: Resource) => EventHandler<ApiObject>,
  pause: Pause,
  signal: AbortSignal,
): Promise<void> {
  const { discovery, monitors, log } = context;
  discovery.invalidate();
  const { failures } = await discovery.surface(signal);
  const watched = [...monitors.values()].map(({ resource }) => resource);
  const discovered = await discovery.preferredResources(signal);
  const plan = planMonitors(watched, discovered, new Set(failures.keys()));
  if (failures.size > 0) log.warn("Some of the API cannot be discovered", { versions: [...failures.keys()] });
  if (plan === undefined || plan.start.length + plan.stop.length === 0) return;
  log.verbose(2, "The API server offers something else", {
    added: plan.start.map(monitorKey),
    removed: plan.stop.map(monitorKey),
  });
  pause.begin();
  try {
    await Promise.all(plan.stop.map(async (resource) => stopMonitor(context, resource)));
    for (const resource of plan.start) startMonitor(context, resource, handlerOf(resource));
    context.informers.start(signal);
    await untilSynced(context, signal);
  } finally {
    pause.end();
  }
}

function startMonitor(
  { informers, measured, monitors }: QuotaContext,
  resource: Resource,
  handler: EventHandler<ApiObject>,
): void {
  const key = monitorKey(resource);
  const informer = measured.get(key) ?? informers.metadataInformer(resource, { fields: [] });
  monitors.set(key, { resource, informer, registration: informer.addHandler(handler, { resyncMs: 0 }) });
}

async function stopMonitor(
  { informers, measured, monitors }: QuotaContext,
  resource: Resource,
): Promise<void> {
  const key = monitorKey(resource);
  const monitor = monitors.get(key);
  if (monitor === undefined) return;
  monitors.delete(key);
  monitor.registration.remove();
  if (!measured.has(key)) await informers.release(monitor.informer);
}

/** A cache that does not fill (a resource that cannot be listed) holds the others up only for so long. */
async function untilSynced({ monitors, clock, log }: QuotaContext, signal: AbortSignal): Promise<void> {
  const endMs = clock.monotonicMs() + PERIOD_MS;
  const unsynced = (): readonly string[] =>
    [...monitors].filter(([, { registration }]) => !registration.hasSynced()).map(([key]) => key);
  while (unsynced().length > 0) {
    if (clock.monotonicMs() >= endMs) {
      log.warn("Some caches do not fill; quotas of these resources are not counted", {
        resources: unsynced(),
      });
      return;
    }
    await sleep(clock, POLL_MS, signal);
  }
}
