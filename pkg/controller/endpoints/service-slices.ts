import { resources } from "../../api/resources.ts";
import type { EndpointSlice } from "../../api/types/discovery-v1.gen.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import { MANAGED_BY_LABEL } from "../../endpoints/slice-name.ts";
import { serviceKeyOf, SliceTracker, stays } from "../../endpoints/slice-tracker.ts";
import type { Counter } from "../../metrics/metrics.ts";
import type { Cache, WakeRule } from "../cache.ts";
import type { Kit } from "../kit.ts";

export interface ServiceSlicesOptions {
  /** What the label says of whoever keeps a slice: only such slices are the controller's. */
  readonly managedBy: string;
  /** Counts what was written, by `operation`. */
  readonly changes: Counter;
}

/**
 * The EndpointSlices that a controller keeps for Services. What is written through it is remembered, slice by slice: a
 * sync must not decide on a cache that is older, and what a cache tells of the controller's own writes wakes nobody.
 *
 * ConsistencyStore cannot stand in for that. A deletion is answered without a version, so that only the slice itself
 * tells whether the cache has seen it; and a slice that comes from the cache is news or not by its generation.
 */
export class ServiceSlices {
  readonly #options: ServiceSlicesOptions;
  readonly #client: ResourceClient<EndpointSlice>;
  readonly #cache: Cache<EndpointSlice>;
  readonly #index: string;
  readonly #tracker: SliceTracker;

  constructor(kit: Kit, options: ServiceSlicesOptions) {
    this.#options = options;
    this.#client = kit.env.client.clientFor(resources.endpointSlices);
    this.#cache = kit.reads(resources.endpointSlices);
    this.#tracker = new SliceTracker(this.#cache);
    this.#index = `slices of ${options.managedBy}`;
    this.#cache.addIndex(this.#index, (slice) => {
      const key = this.#isManaged(slice) ? serviceKeyOf(slice) : undefined;
      return key === undefined ? [] : [key];
    });
  }

  get cache(): Cache<EndpointSlice> {
    return this.#cache;
  }

  /** All that the cache has of the Service. */
  cached(serviceKey: string): readonly EndpointSlice[] {
    return this.#cache.lister.byIndex(this.#index, serviceKey);
  }

  /** Those that a sync may decide on, without any that is being deleted. Undefined: the cache has yet to see a write. */
  settled(serviceKey: string): readonly EndpointSlice[] | undefined {
    const slices = this.cached(serviceKey);
    return this.#tracker.areStale(serviceKey, slices) ? undefined : slices.filter(stays);
  }

  /** Wakes the Service of a slice that somebody else has changed. Such changes come in several: it waits for `delayMs`. */
  rule(delayMs: number): WakeRule<EndpointSlice> {
    return (change, wake) => {
      const wakeServiceOf = (slice: EndpointSlice): void => {
        const key = serviceKeyOf(slice);
        if (key !== undefined) wake(key, delayMs);
      };
      const { object: slice } = change;
      if (change.type === "added") {
        if (this.#isManaged(slice) && this.#tracker.isNews(slice)) wakeServiceOf(slice);
      } else if (change.type === "deleted") {
        // One that was never written here, as the answer was lost or another process wrote it, was not expected to go.
        const isKnown = this.#tracker.has(slice);
        if (this.#isManaged(slice) && !(this.#tracker.deletionObserved(slice) && isKnown))
          wakeServiceOf(slice);
      } else {
        for (const each of this.#changed(change.before, slice)) wakeServiceOf(each);
      }
    };
  }

  /** The states of the slice whose Services are to look at it. */
  #changed(before: EndpointSlice, after: EndpointSlice): readonly EndpointSlice[] {
    const hasMoved = serviceKeyOf(before) !== serviceKeyOf(after);
    // It will not be seen among those of its Service again, for which a sync would wait in vain.
    if (this.#isManaged(before) && (hasMoved || !this.#isManaged(after))) this.#tracker.forget(before);
    if (hasMoved) return [after, before];
    const isHandedOver = this.#isManaged(before) !== this.#isManaged(after);
    return isHandedOver || (this.#isManaged(after) && this.#tracker.isNews(after)) ? [after] : [];
  }

  async create(slice: EndpointSlice, signal: AbortSignal): Promise<void> {
    this.#tracker.wrote(await this.#client.create(slice, {}, signal));
    this.#options.changes.inc({ operation: "create" });
  }

  async update(slice: EndpointSlice, signal: AbortSignal): Promise<void> {
    this.#tracker.wrote(await this.#client.update(slice, {}, signal));
    this.#options.changes.inc({ operation: "update" });
  }

  /** Deletes this very slice. An error that `isDone` accepts stands for a deletion. */
  async remove(
    slice: EndpointSlice,
    signal: AbortSignal,
    isDone: (error: unknown) => boolean = () => false,
  ): Promise<void> {
    try {
      await this.drop(slice, signal);
    } catch (error) {
      if (!isDone(error)) throw error;
    }
    this.#tracker.expectDeletion(slice);
    this.#options.changes.inc({ operation: "delete" });
  }

  /** As remove, for a Service that is forgotten: nobody waits to see it gone, and it is not counted. */
  async drop(
    { metadata: { namespace = "", name = "", uid = "" } }: EndpointSlice,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  }

  /** The slice is right as it is: from now on it counts as written here. */
  keep(slice: EndpointSlice): void {
    if (!this.#tracker.has(slice)) this.#tracker.wrote(slice);
  }

  forget(serviceKey: string): void {
    this.#tracker.forgetService(serviceKey);
  }

  #isManaged({ metadata: { labels } }: EndpointSlice): boolean {
    return labels?.[MANAGED_BY_LABEL] === this.#options.managedBy;
  }
}
