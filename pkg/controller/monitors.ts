import type { PartialObject } from "../api/object.ts";
import { groupResource, type Resource } from "../api/resource.ts";
import type { HandlerRegistration, SharedInformer } from "../cache/informer/informer.ts";
import type { ApiResource } from "../client/discovery-documents.ts";
import type { Discovery } from "../client/discovery.ts";
import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";
import type { Logger } from "../log/logger.ts";
import { Cache } from "./cache.ts";
import type { Env } from "./env.ts";
import type { Kit } from "./kit.ts";
import { planMonitors, resourceKey } from "./monitor-plan.ts";

/** How often the server is asked what it serves, and how long new informers may take for their first lists. */
const PERIOD_MS = 30_000;
const POLL_MS = 100;

export interface Listening {
  readonly informer: SharedInformer<PartialObject>;
  readonly registration: HandlerRegistration;
}

/** A resource that is watched because the server serves it. */
export interface Monitor extends Listening {
  readonly resource: Resource;
}

export interface MonitorsOptions {
  readonly discovery: Pick<Discovery, "surface" | "invalidate">;
  readonly informers: Pick<Env["informers"], "start" | "release">;
  readonly isWanted: (resource: ApiResource) => boolean;
  /** Asks for the informer and adds its handler. The informer is given back when the resource is not served any more. */
  readonly listen: (resource: Resource) => Listening;
  /** Around every change: in between, caches are being filled. */
  readonly onChange?: (state: "begins" | "ends") => void;
  /**
   * The handler of a resource has been told of everything that there is. Nobody has told it of what was deleted before,
   * while the resource was not watched: under `former`, the versions and kinds that it has had.
   */
  readonly onListed: (monitor: Monitor, former: readonly Resource[]) => Promise<void> | void;
  /** The server could not be asked, said nothing, or did not give all lists in time. */
  readonly onFailure?: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ServedResources extends Pick<
  MonitorsOptions,
  "isWanted" | "onListed" | "onFailure" | "onChange"
> {
  /** What is read of the objects; undefined: metadata alone. */
  readonly fieldsOf?: (resource: Resource) => readonly string[] | undefined;
  /** Says what is done when an object of the resource changes. There are no resyncs. */
  readonly wire: (objects: Cache<PartialObject>) => void;
}

/** For controllers of whatever the server serves: watches it for as long as the controller runs. */
export function watchServed(kit: Kit, served: ServedResources): Monitors {
  const { client, informers, clock, log } = kit.env;
  const { fieldsOf = () => undefined, wire, ...rest } = served;
  const listen = (resource: Resource): Listening => {
    const fields = fieldsOf(resource);
    const informer =
      fields === undefined
        ? informers.metadataInformer(resource, { fields: [] })
        : informers.informer<PartialObject, readonly string[]>(resource, { fields });
    const objects = new Cache<PartialObject>(resource, informer, { resyncMs: 0 });
    wire(objects);
    return { informer, registration: objects.registration };
  };
  const monitors = new Monitors({ ...rest, discovery: client.discovery, informers, listen, clock, log });
  kit.task(async (signal) => monitors.follow(signal));
  return monitors;
}

/** One informer for each resource of a sort that the server serves, as custom resources come and go. */
export class Monitors {
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();
  /** Started, and `onListed` is still to be called. */
  readonly #unlisted = new Set<Monitor>();
  /** How often all lists were there, or were waited for in vain. Undefined: some are still to come. */
  #filled: number | undefined;
  #fills = 0;
  /** What was watched before, by group and plural. */
  readonly #former = new Map<string, Map<string, Resource>>();

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  /** Looks every 30 seconds what the server serves, and watches that. Ends when the signal aborts. */
  async follow(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#look(signal);
        await sleep(this.#options.clock, PERIOD_MS, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  all(): readonly Monitor[] {
    return [...this.#monitors.values()];
  }

  find(resource: Resource): Monitor | undefined {
    return this.#monitors.get(resourceKey(resource));
  }

  /**
   * For who acts on what is not there: which time it is that the lists are full, or were waited for long enough. Undefined
   * while what is served is not known at all, or lists of what is newly watched are on their way.
   */
  get filled(): number | undefined {
    return this.#filled;
  }

  /** Every handler has been told of all that there was. False while nothing is watched. */
  hasSynced(): boolean {
    return this.#monitors.size > 0 && this.unsynced().length === 0;
  }

  /** Names of the resources whose objects are not all known yet. */
  unsynced(): readonly string[] {
    return this.all()
      .filter(({ registration }) => !registration.hasSynced())
      .map(({ resource }) => groupResource(resource));
  }

  /** False when that takes too long: a resource that cannot be listed holds the others up only for so long. */
  async syncInTime(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + PERIOD_MS;
    while (!this.hasSynced()) {
      if (clock.monotonicMs() >= endMs) return false;
      await sleep(clock, POLL_MS, signal);
    }
    return true;
  }

  /** For workers: one resource that cannot be listed does not hold up the others for ever. */
  async whenKnown(signal: AbortSignal): Promise<void> {
    if (await this.syncInTime(signal)) return;
    const unsynced = this.unsynced();
    this.#options.log.warn("Not all resources are known yet; the work begins all the same", { unsynced });
  }

  /** Asks the server once. After a failure the same resources stay watched. */
  async #look(signal: AbortSignal): Promise<void> {
    const { discovery, isWanted, log, onFailure } = this.#options;
    // References to a kind that was not known before can be followed from now on, too: mappers read the same.
    discovery.invalidate();
    try {
      const surface = await discovery.surface(signal);
      const watched = this.all().map(({ resource, registration }) => ({
        resource,
        synced: registration.hasSynced(),
      }));
      const plan = planMonitors(watched, surface, isWanted);
      if (surface.failures.size > 0)
        log.warn("Some groups could not be discovered", { groups: [...surface.failures.keys()] });
      if (plan === undefined) {
        log.warn("The server tells of nothing that could be watched; nothing changes");
        onFailure?.();
      } else {
        if (plan.start.length + plan.stop.length > 0) await this.#change(plan.start, plan.stop, signal);
        this.#filled ??= ++this.#fills;
      }
      await this.#tellListed();
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "What the server serves could not be followed; nothing changes");
      onFailure?.();
    }
  }

  async #change(start: readonly Resource[], stop: readonly Resource[], signal: AbortSignal): Promise<void> {
    const { informers, log, onChange, onFailure } = this.#options;
    log.verbose(2, "What the server serves has changed", {
      added: start.map(groupResource),
      removed: stop.map(groupResource),
    });
    onChange?.("begins");
    this.#filled = undefined;
    try {
      await Promise.all(stop.map(async (resource) => this.#stop(resource)));
      for (const resource of start) this.#start(resource);
      informers.start(signal);
      if (!(await this.syncInTime(signal))) {
        log.warn("Not all resources were listed in time", { unsynced: this.unsynced() });
        onFailure?.();
      }
      await this.#tellListed();
    } finally {
      onChange?.("ends");
    }
  }

  #start(resource: Resource): void {
    const monitor = { resource, ...this.#options.listen(resource) };
    this.#monitors.set(resourceKey(resource), monitor);
    this.#unlisted.add(monitor);
  }

  async #stop(resource: Resource): Promise<void> {
    const key = resourceKey(resource);
    const monitor = this.#monitors.get(key);
    if (monitor === undefined) return;
    this.#monitors.delete(key);
    this.#unlisted.delete(monitor);
    const name = groupResource(resource);
    this.#former.set(name, (this.#former.get(name) ?? new Map<string, Resource>()).set(key, resource));
    monitor.registration.remove();
    await this.#options.informers.release(monitor.informer);
  }

  async #tellListed(): Promise<void> {
    for (const monitor of this.#unlisted) {
      if (!monitor.registration.hasSynced()) continue;
      const name = groupResource(monitor.resource);
      await this.#options.onListed(monitor, [...(this.#former.get(name)?.values() ?? [])]);
      this.#former.delete(name);
      this.#unlisted.delete(monitor);
    }
  }
}
