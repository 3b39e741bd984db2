import type { ApiObject } from "../../pkg/api/object.ts";
import { apiVersionOf, groupResource, type Resource } from "../../pkg/api/resource.ts";
import type { HandlerRegistration, SharedInformer } from "../../pkg/cache/informer.ts";
import type { Env } from "../../pkg/reconcile/env.ts";
import type { CollectorContext } from "./context.ts";
import { objectHandler } from "./handlers.ts";

interface Monitor {
  readonly resource: Resource;
  readonly informer: SharedInformer;
  readonly registration: HandlerRegistration;
}

/** Nothing but what every projection keeps: owners, finalizers, and what identifies the object. */
const FIELDS: readonly string[] = [];

/** Resources by what tells them apart; one whose kind or scope has changed is another one. */
export type ResourceSet = ReadonlyMap<string, Resource>;

export function resourceKey({ group, version, plural, kind, namespaced }: Resource): string {
  return JSON.stringify([group, version, plural, kind, namespaced]);
}

/** The informers that feed the graph: one for each resource, shared with the controllers that read more of it. */
export class Monitors {
  readonly #informers: Env["informers"];
  readonly #changes: CollectorContext["changes"];
  #monitors: ReadonlyMap<string, Monitor> = new Map();
  /** By what a cached object is found with. */
  readonly #byResource = new Map<string, Monitor>();

  constructor(informers: Env["informers"], changes: CollectorContext["changes"]) {
    this.#informers = informers;
    this.#changes = changes;
  }

  /** Watches these resources and no others. Resolves when those that are watched no more have ended. */
  async watch(wanted: ResourceSet, signal: AbortSignal): Promise<void> {
    const before = this.#monitors;
    const dropped = [...before].filter(([key]) => !wanted.has(key)).map(([, monitor]) => monitor);
    for (const { resource, registration } of dropped) {
      registration.remove();
      this.#byResource.delete(nameOf(resource));
    }
    await Promise.all(dropped.map(async ({ informer }) => this.#informers.release(informer)));
    const monitors = new Map<string, Monitor>();
    for (const [key, resource] of wanted) {
      const monitor = before.get(key) ?? this.#start(resource);
      monitors.set(key, monitor);
      this.#byResource.set(nameOf(resource), monitor);
    }
    this.#monitors = monitors;
    this.#informers.start(signal);
  }

  /** Every object that there was at the start has been handed to the graph. False while nothing is watched. */
  hasSynced(): boolean {
    const monitors = [...this.#monitors.values()];
    return monitors.length > 0 && monitors.every(({ registration }) => registration.hasSynced());
  }

  hasSyncedResource(key: string): boolean {
    return this.#monitors.get(key)?.registration.hasSynced() ?? false;
  }

  /** Names of the resources whose objects are not all known yet. */
  unsynced(): readonly string[] {
    return [...this.#monitors.values()]
      .filter(({ registration }) => !registration.hasSynced())
      .map(({ resource }) => groupResource(resource));
  }

  cached(resource: Resource, namespace: string, name: string): ApiObject | undefined {
    return this.#byResource.get(nameOf(resource))?.informer.lister.get(namespace, name);
  }

  #start(resource: Resource): Monitor {
    const informer = this.#informers.metadataInformer(resource, { fields: FIELDS });
    const registration = informer.addHandler(objectHandler(this.#changes), { resyncMs: 0 });
    return { resource, informer, registration };
  }
}

function nameOf(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}
