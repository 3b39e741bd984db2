import type { Int64 } from "../api/int64.ts";
import type { ApiObject } from "../api/object.ts";
import { versionOrder } from "../api/resource-version.ts";
import type { EndpointSlice } from "../api/types/discovery-v1.gen.ts";

/** A SharedInformer is one. */
interface VersionedCache {
  /** Up to where the cache has seen everything; "" when it cannot say. */
  lastSyncResourceVersion(): string;
}

export const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

/** "namespace/name" of the Service that a slice says it belongs to; undefined when it does not say. */
export function serviceKeyOf(slice: ApiObject): string | undefined {
  const name = slice.metadata.labels?.[SERVICE_NAME_LABEL] ?? "";
  return name === "" ? undefined : `${slice.metadata.namespace ?? ""}/${name}`;
}

/** False when somebody has deleted it and a finalizer keeps it: nothing that is written to it would last. */
export function stays({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

interface Written {
  /** GONE after a deletion. */
  readonly generation: Int64;
  /** The version that the server gave it; undefined after a deletion. */
  readonly version: string | undefined;
}

const GONE = -1;

/**
 * How long a sync waits that has met stale slices. The wait does not grow, as nothing has failed: where pods change all
 * the time, it would last for minutes after the last of them.
 */
export const STALE_WAIT_MS = 1_000;

/**
 * Which generation of each slice was written last, by Service. A sync on a cache that is older than that would undo or
 * repeat its own writes; a change that is no newer than that is an echo of a write and no reason for a sync.
 */
export class SliceTracker {
  readonly #byService = new Map<string, Map<string, Written>>();
  readonly #cache: VersionedCache;

  /** All slices that it is asked about come from this cache. */
  constructor(cache: VersionedCache) {
    this.#cache = cache;
  }

  /** After a write. */
  wrote(slice: EndpointSlice): void {
    const { resourceVersion: version } = slice.metadata;
    this.#writtenFor(slice).set(uidOf(slice), { generation: generationOf(slice), version });
  }

  /** After a deletion. */
  expectDeletion(slice: EndpointSlice): void {
    this.#writtenFor(slice).set(uidOf(slice), { generation: GONE, version: undefined });
  }

  has(slice: EndpointSlice): boolean {
    return this.#writtenOf(slice)?.has(uidOf(slice)) ?? false;
  }

  /** The slice is the Service's no more, though it may live on. */
  forget(slice: EndpointSlice): void {
    this.#writtenOf(slice)?.delete(uidOf(slice));
  }

  /** Whether the slice is news: nobody here wrote it, or somebody wrote it since. */
  isNews(slice: EndpointSlice): boolean {
    const written = this.#writtenOf(slice)?.get(uidOf(slice));
    return written === undefined || generationOf(slice) > written.generation;
  }

  /** The slice has been deleted; true when that was expected. */
  deletionObserved(slice: EndpointSlice): boolean {
    const all = this.#writtenOf(slice);
    const written = all?.get(uidOf(slice));
    all?.delete(uidOf(slice));
    return written === undefined || written.generation === GONE;
  }

  /**
   * Whether these slices of the Service, all that the cache has, are older than what was written. One that is being
   * deleted is not waited for: whatever was written to it, it is to be replaced.
   */
  areStale(serviceKey: string, slices: readonly EndpointSlice[]): boolean {
    const all = this.#byService.get(serviceKey);
    if (all === undefined) return false;
    const present = new Map(slices.map((slice) => [uidOf(slice), slice]));
    for (const [uid, written] of all) {
      const cached = present.get(uid);
      if (cached === undefined) {
        if (written.generation === GONE) continue;
        if (!this.#hasSeen(written)) return true;
        // It has come and gone between two lists, and will never be seen.
        all.delete(uid);
      } else if (
        stays(cached) &&
        (written.generation === GONE || generationOf(cached) < written.generation)
      ) {
        return true;
      }
    }
    return false;
  }

  forgetService(serviceKey: string): void {
    this.#byService.delete(serviceKey);
  }

  /** A cache that cannot say has not. */
  #hasSeen({ version = "" }: Written): boolean {
    return (versionOrder(this.#cache.lastSyncResourceVersion(), version) ?? -1) >= 0;
  }

  #writtenOf(slice: EndpointSlice): Map<string, Written> | undefined {
    return this.#byService.get(serviceKeyOf(slice) ?? "");
  }

  #writtenFor(slice: EndpointSlice): Map<string, Written> {
    const key = serviceKeyOf(slice) ?? "";
    const all = this.#byService.get(key) ?? new Map<string, Written>();
    this.#byService.set(key, all);
    return all;
  }
}

function uidOf(slice: EndpointSlice): string {
  return slice.metadata.uid ?? "";
}

function generationOf(slice: EndpointSlice): Int64 {
  return slice.metadata.generation ?? 0;
}
