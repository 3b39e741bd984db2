import type { ApiObject } from "../api/object.ts";
import type { EndpointSlice } from "../api/types/discovery-v1.gen.ts";

export const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

/** "namespace/name" of the Service that a slice says it belongs to; undefined when it does not say. */
export function serviceKeyOf(slice: ApiObject): string | undefined {
  const name = slice.metadata.labels?.[SERVICE_NAME_LABEL] ?? "";
  return name === "" ? undefined : `${slice.metadata.namespace ?? ""}/${name}`;
}

const GONE = -1;

/**
 * How long a sync waits that has met stale slices. Not longer each time, as nothing has failed: pods that change all the
 * time would make it wait for minutes after the last of them.
 */
export const STALE_WAIT_MS = 1_000;

/**
 * Which generation of each slice was written last, by Service. A sync on a cache that is older than that would undo or
 * repeat its own writes; a change that is no newer than that is an echo of a write and no reason for a sync.
 */
export class SliceTracker {
  readonly #byService = new Map<string, Map<string, number>>();

  /** After a write. */
  wrote(slice: EndpointSlice): void {
    this.#generationsFor(slice).set(uidOf(slice), generationOf(slice));
  }

  /** After a deletion. */
  expectDeletion(slice: EndpointSlice): void {
    this.#generationsFor(slice).set(uidOf(slice), GONE);
  }

  has(slice: EndpointSlice): boolean {
    return this.#generationsOf(slice)?.has(uidOf(slice)) ?? false;
  }

  /** The slice is the Service's no more, though it may live on. */
  forget(slice: EndpointSlice): void {
    this.#generationsOf(slice)?.delete(uidOf(slice));
  }

  /** Whether the slice is news: nobody here wrote it, or somebody wrote it since. */
  isNews(slice: EndpointSlice): boolean {
    const generation = this.#generationsOf(slice)?.get(uidOf(slice));
    return generation === undefined || generationOf(slice) > generation;
  }

  /** The slice has been deleted; true when that was expected. */
  deletionObserved(slice: EndpointSlice): boolean {
    const generations = this.#generationsOf(slice);
    const generation = generations?.get(uidOf(slice));
    generations?.delete(uidOf(slice));
    return generation === undefined || generation === GONE;
  }

  /** Whether these slices of the Service, as the cache has them, are older than what was written. */
  areStale(serviceKey: string, slices: readonly EndpointSlice[]): boolean {
    const generations = this.#byService.get(serviceKey);
    if (generations === undefined) return false;
    const present = new Map(slices.map((slice) => [uidOf(slice), generationOf(slice)]));
    for (const [uid, generation] of generations) {
      const cached = present.get(uid);
      const isStale = generation === GONE ? cached !== undefined : (cached ?? GONE) < generation;
      if (isStale) return true;
    }
    return false;
  }

  forgetService(serviceKey: string): void {
    this.#byService.delete(serviceKey);
  }

  #generationsOf(slice: EndpointSlice): Map<string, number> | undefined {
    return this.#byService.get(serviceKeyOf(slice) ?? "");
  }

  #generationsFor(slice: EndpointSlice): Map<string, number> {
    const key = serviceKeyOf(slice) ?? "";
    const generations = this.#byService.get(key) ?? new Map<string, number>();
    this.#byService.set(key, generations);
    return generations;
  }
}

function uidOf(slice: EndpointSlice): string {
  return slice.metadata.uid ?? "";
}

function generationOf(slice: EndpointSlice): number {
  return slice.metadata.generation ?? 0;
}
