import { keyOf, refKey, type StoredObject } from "../api/object.ts";
import { type Resource, groupResource } from "../api/resource.ts";
import { versionOrder } from "../api/resource-version.ts";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { Counter } from "../metrics/metrics.ts";
import type { SyncGate } from "./worker.ts";

/** How often the log says that a cache is still waited for. */
const WARN_EVERY_MS = 5 * 60_000;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 1_000;
const NOTHING: readonly never[] = Object.freeze([]);

/** The cache of one resource. */
export interface VersionedCache {
  readonly resource: Resource;
  /** Up to where the cache has seen everything of the namespace; "" when it cannot say. */
  lastSyncResourceVersion(namespace?: string): string;
  /** Whether this very object is in it. */
  holds(object: KnownObject): boolean;
}

/** What is remembered of an object. */
export interface KnownObject {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
}

export interface ConsistencyOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** What the syncs of owners read. A write to another resource is waited for by nobody. */
  readonly caches: readonly VersionedCache[];
}

/** A cache that is behind: in versions, or as it still has an object that was deleted. */
export type Staleness = { readonly resource: Resource } & (
  | { readonly readVersion: string; readonly writtenVersion: string }
  | { readonly deleted: string }
);

/** What was written: objects of a resource, in a namespace if that has any. */
export interface WrittenPlace extends Pick<Resource, "group" | "plural"> {
  readonly namespace?: string | undefined;
}

interface WrittenVersion {
  /** Name of the resource. */
  readonly name: string;
  readonly namespace: string | undefined;
  readonly version: string;
}

interface Deleted extends KnownObject {
  readonly resourceName: string;
}

interface Written {
  readonly uid: string;
  /** The latest version written, per resource and namespace. */
  readonly versions: Map<string, WrittenVersion>;
  /** What was deleted with an answer that tells no version, by uid. */
  deleted: Map<string, Deleted> | undefined;
  waits: number;
  /** When the log is to say that this takes long; undefined before the first wait. */
  warnAtMs: number | undefined;
}

/**
 * Read-your-writes for the syncs of a controller. What a sync writes for an owner is recorded with the version that the
 * server gave it, and the owner's next sync waits until the caches have seen that: a decision on an older cache would
 * do things twice. A record lasts until the caches have caught up, or the owner is gone: it is never given up. A watch
 * that is held up for an hour would otherwise cost an owner twice its pods, as expectations do end after a time.
 */
export class ConsistencyStore implements SyncGate<string> {
  readonly #options: ConsistencyOptions;
  readonly #written = new Map<string, Written>();
  #isOn = true;
  #skips: Counter | undefined;

  constructor(options: ConsistencyOptions) {
    this.#options = options;
  }

  /** Nothing is recorded, and nobody waits. */
  switchOff(): void {
    this.#isOn = false;
  }

  /** By `group` and `resource`: the controller's *_stale_sync_skips_total. */
  countSkips(skips: Counter): void {
    this.#skips = skips;
  }

  /** What was written for an earlier owner of the same name is forgotten. */
  wroteAt(ownerKey: string, ownerUid: string, place: WrittenPlace, version: string | undefined): void {
    if (version === undefined || !this.#isOn) return;
    const written = this.#writtenFor(ownerKey, ownerUid);
    const { namespace } = place;
    const name = groupResource(place);
    const id = namespace === undefined ? name : `${namespace}/${name}`;
    const known = written.versions.get(id);
    if (known !== undefined && isBehind(version, known.version)) return;
    written.versions.set(id, { name, namespace, version });
  }

  /** An object of the resource was written for the owner, or the owner itself; this is the server's answer. */
  wroteFor(owner: StoredObject, resource: Resource, answer: StoredObject): void {
    const { namespace, resourceVersion } = answer.metadata;
    this.wroteAt(keyOf(owner), owner.metadata.uid, { ...resource, namespace }, resourceVersion);
  }

  /** An object of the resource was deleted for the owner, and is gone. */
  deletedFor(owner: StoredObject, resource: Resource, { metadata }: StoredObject): void {
    if (!this.#isOn) return;
    const { namespace, name, uid } = metadata;
    const written = this.#writtenFor(keyOf(owner), owner.metadata.uid);
    written.deleted ??= new Map();
    written.deleted.set(uid, { resourceName: groupResource(resource), namespace, name, uid });
  }

  #writtenFor(ownerKey: string, uid: string): Written {
    let written = this.#written.get(ownerKey);
    if (written?.uid !== uid) {
      written = { uid, versions: new Map(), deleted: undefined, waits: 0, warnAtMs: undefined };
      this.#written.set(ownerKey, written);
    }
    return written;
  }

  /** This very owner is gone. */
  delete(owner: StoredObject): void {
    const key = keyOf(owner);
    if (this.#written.get(key)?.uid === owner.metadata.uid) this.#written.delete(key);
  }

  /** Nobody has the name any more. */
  deleteName(key: string): void {
    this.#written.delete(key);
  }

  /** The first cache that has yet to see what was written for the owner. */
  staleness(ownerKey: string): Staleness | undefined {
    const written = this.#written.get(ownerKey);
    if (written === undefined) return undefined;
    for (const cache of this.#options.caches) {
      const { resource } = cache;
      const cached = groupResource(resource);
      for (const { name, namespace, version: writtenVersion } of written.versions.values()) {
        if (name !== cached) continue;
        const readVersion = cache.lastSyncResourceVersion(namespace);
        if (isBehind(readVersion, writtenVersion)) return { resource, readVersion, writtenVersion };
      }
      for (const { resourceName, ...object } of written.deleted?.values() ?? NOTHING)
        if (resourceName === cached && cache.holds(object))
          return { resource, deleted: refKey(object.namespace, object.name) };
    }
    return undefined;
  }

  waitMs(ownerKey: string): number | undefined {
    const written = this.#written.get(ownerKey);
    if (written === undefined) return undefined;
    const stale = this.staleness(ownerKey);
    if (stale === undefined) {
      this.#written.delete(ownerKey);
      return undefined;
    }
    this.#warnInTime(ownerKey, written, stale);
    this.#skips?.inc({ group: stale.resource.group, resource: stale.resource.plural });
    return Math.min(FIRST_WAIT_MS * 2 ** written.waits++, LONGEST_WAIT_MS);
  }

  #warnInTime(key: string, written: Written, { resource, ...behind }: Staleness): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs >= (written.warnAtMs ?? Infinity)) {
      const stale = { key, resource: groupResource(resource), ...behind };
      this.#options.log.warn("The cache does not see what was written; the key waits for it", stale);
      written.warnAtMs = undefined;
    }
    written.warnAtMs ??= nowMs + WARN_EVERY_MS;
  }

  get size(): number {
    return this.#written.size;
  }
}

/** A text that is no version (of a cache that cannot say, or a server of another kind) is not behind: it holds nothing up. */
function isBehind(version: string, other: string): boolean {
  return (versionOrder(version, other) ?? 0) < 0;
}
