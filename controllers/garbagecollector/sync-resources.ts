import { apiVersionOf, groupResource, type Resource } from "../../pkg/api/resource.ts";
import { type ApiSurface, preferredResources } from "../../pkg/client/discovery-documents.ts";
import type { Discovery } from "../../pkg/client/discovery.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Counter } from "../../pkg/metrics/metrics.ts";
import { type Monitors, resourceKey, type ResourceSet } from "./sync-monitors.ts";

/** How often the server is asked what it serves, and how long new informers may take for their first lists. */
const PERIOD_MS = 30_000;
const POLL_MS = 100;

/** Nobody owns events or is owned by them, and there are many. */
const IGNORED: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);
const VERBS = ["delete", "list", "watch"];

export interface ResourceWatch {
  readonly discovery: Pick<Discovery, "surface" | "invalidate">;
  readonly monitors: Monitors;
  readonly failures: Counter;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps watching whatever can be deleted, as custom resources come and go. Ends when the signal aborts. */
export async function followResources(watch: ResourceWatch, signal: AbortSignal): Promise<void> {
  try {
    for (let known: ResourceSet = new Map(); ; await sleep(watch.clock, PERIOD_MS, signal))
      known = await syncResources(watch, known, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when the caches hold all objects, or when that takes too long: what is known can be worked on by then. */
export async function whenGraphKnown(
  { monitors, clock, log }: ResourceWatch,
  signal: AbortSignal,
): Promise<void> {
  if (await syncsInTime(monitors, clock, signal)) return;
  log.warn("Not all resources are known yet; collecting garbage all the same", {
    unsynced: monitors.unsynced(),
  });
}

/** One look at what the server serves. Gives what is watched from now on; a failure leaves that as it is. */
export async function syncResources(
  watch: ResourceWatch,
  known: ResourceSet,
  signal: AbortSignal,
): Promise<ResourceSet> {
  const { discovery, monitors, failures, clock, log } = watch;
  // References to a kind that was not known before can be followed from now on, too: the mapper reads the same.
  discovery.invalidate();
  let surface: ApiSurface;
  try {
    surface = await discovery.surface(signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error(error, "What the server serves could not be discovered; nothing changes");
    failures.inc();
    return known;
  }
  const wanted = withUndiscovered(deletableResources(surface), known, surface, monitors);
  if (wanted.size === 0) {
    log.verbose(2, "The server serves nothing that could be deleted; nothing changes");
    failures.inc();
    return known;
  }
  if (surface.failures.size > 0)
    log.warn("Some groups could not be discovered", { groups: [...surface.failures.keys()] });
  if (wanted.size === known.size && [...wanted.keys()].every((key) => known.has(key))) return known;
  log.verbose(2, "What the server serves has changed", {
    added: namesOf(wanted, known),
    removed: namesOf(known, wanted),
  });
  await monitors.watch(wanted, signal);
  if (!(await syncsInTime(monitors, clock, signal))) {
    log.warn("Not all resources were listed in time", { unsynced: monitors.unsynced() });
    failures.inc();
  }
  return wanted;
}

function deletableResources(surface: ApiSurface): readonly Resource[] {
  return preferredResources(surface).filter(
    (resource) =>
      VERBS.every((verb) => resource.verbs.includes(verb)) && !IGNORED.has(groupResource(resource)),
  );
}

/** What cannot be discovered for the moment is still there, and is watched as long as that works. */
function withUndiscovered(
  found: readonly Resource[],
  known: ResourceSet,
  { failures }: ApiSurface,
  monitors: Monitors,
): ResourceSet {
  const kept = [...known].filter(
    ([key, resource]) => failures.has(apiVersionOf(resource)) && monitors.hasSyncedResource(key),
  );
  return new Map([...found.map((resource) => [resourceKey(resource), resource] as const), ...kept]);
}

async function syncsInTime(monitors: Monitors, clock: Clock, signal: AbortSignal): Promise<boolean> {
  const endMs = clock.monotonicMs() + PERIOD_MS;
  while (!monitors.hasSynced()) {
    if (clock.monotonicMs() >= endMs) return false;
    await sleep(clock, POLL_MS, signal);
  }
  return true;
}

function namesOf(resources: ResourceSet, without: ResourceSet): readonly string[] {
  return [...resources].filter(([key]) => !without.has(key)).map(([, resource]) => groupResource(resource));
}
