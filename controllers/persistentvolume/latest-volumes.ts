import type { Stored } from "../../pkg/api/object.ts";
import { versionOrder } from "../../pkg/api/resource-version.ts";
import type { PersistentVolume } from "../../pkg/api/types/core-v1.gen.ts";

type Volume = Stored<PersistentVolume>;

/** Volumes as the server has given them in answer to writes, as long as the cache is behind that. */
export class LatestVolumes {
  readonly #written = new Map<string, Volume>();

  /** `cached`: as the cache has it now. */
  wrote(answer: Volume, cached: Volume | undefined): void {
    if (cached?.metadata.uid !== answer.metadata.uid || !isNewer(answer, cached)) return;
    this.#written.set(answer.metadata.name, answer);
  }

  /** The cache has it so now; undefined: it has none of the name. */
  seen(name: string, cached: Volume | undefined): void {
    const written = this.#written.get(name);
    if (written !== undefined && this.of(name, cached) !== written) this.#written.delete(name);
  }

  /** The newest that is known of what the cache has so. */
  of(name: string, cached: Volume | undefined): Volume | undefined {
    const written = this.#written.get(name);
    if (written === undefined || cached?.metadata.uid !== written.metadata.uid) return cached;
    return isNewer(written, cached) ? written : cached;
  }

  get size(): number {
    return this.#written.size;
  }
}

function isNewer(one: Volume, other: Volume): boolean {
  return (versionOrder(one.metadata.resourceVersion, other.metadata.resourceVersion) ?? 0) > 0;
}
