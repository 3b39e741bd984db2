import { messageOf } from "../../api/errors.ts";
import type { ApiObject, PartialObject } from "../../api/object.ts";
import { apiVersionOf, groupResource, type Resource, type TypedResource } from "../../api/resource.ts";
import { isForbidden, isNotFound } from "../../client/errors.ts";
import { DeadlineError, withDeadline } from "../../clock/wait.ts";
import type { Seen } from "../../cache/store/projection.ts";
import type { Cache } from "../cache.ts";
import { whenSynced } from "../caches-ready.ts";
import type { Kit, ReadOptions } from "../kit.ts";
import { resourceKey } from "../monitor-plan.ts";

export class CacheError extends Error {
  readonly code = "Cache";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CacheError";
  }
}

type Filling = Pick<Cache<PartialObject>, "synced" | "resource">;

/** What the server says to a list is asked for after this long, and then again after ten times as long. */
const PATIENCE_MS = 1_000;

export interface ObjectCachesOptions {
  /** All when left out. */
  readonly namespaces: readonly string[] | undefined;
  /** What it has applied of the objects is kept. */
  readonly manager: string;
  /** After this long without all its objects a cache counts as one that cannot be had. */
  readonly syncTimeoutMs: number;
  /** Called with every cache before it is filled. */
  readonly onNew: (cache: Cache<PartialObject>) => void;
}

/** How the objects of the controller itself are read. */
export type OwnerReadOptions = Pick<ReadOptions<"whole">, "labelSelector" | "resyncMs">;

/** The caches of one controller: those that it is wired with, and those that it comes to need while it works. */
export class ObjectCaches {
  readonly #kit: Kit;
  readonly #options: ObjectCachesOptions;
  readonly #caches = new Map<string, Cache<PartialObject>>();
  readonly #parts: Filling[] = [];
  #lifetime: AbortSignal | undefined;

  constructor(kit: Kit, options: ObjectCachesOptions) {
    this.#kit = kit;
    this.#options = options;
    kit.task(async (signal) => {
      this.#lifetime = signal;
    });
  }

  get namespaces(): readonly string[] | undefined {
    return this.#options.namespaces;
  }

  /** The one cache of whole objects of the resource. */
  declare<R extends ApiObject>(resource: TypedResource<R>, options: ReadOptions<"whole"> = {}): Cache<R> {
    const name = resourceKey(resource);
    let cache = this.#caches.get(name);
    if (cache === undefined) {
      const { namespaces, manager: applied } = this.#options;
      cache = this.#kit.reads<PartialObject>(resource, { ...options, namespaces, applied, beside: true });
      this.#caches.set(name, cache);
      this.#options.onNew(cache);
    }
    // Each is kept under the name of its own resource.
    return cache as unknown as Cache<R>;
  }

  /** The objects of the controller itself. With a selector they have a cache of their own: who reads others reads all. */
  declareOwners<R extends ApiObject>(
    resource: TypedResource<R>,
    { labelSelector, ...options }: OwnerReadOptions,
  ): Cache<R> {
    if (labelSelector === undefined) return this.declare(resource, options);
    const { namespaces } = this.#options;
    const cache = this.#kit.reads<R>(resource, { ...options, namespaces, labelSelector });
    this.#parts.push(cache);
    return cache;
  }

  /** A cache of these fields alone, which the controller is wired with. */
  declarePart<R extends ApiObject, F extends readonly string[]>(
    resource: TypedResource<R>,
    fields: F,
    options: OwnerReadOptions = {},
  ): Cache<Seen<R, F>, R> {
    const { namespaces } = this.#options;
    const cache = this.#kit.readsFields<R, F>(resource, { ...options, namespaces, fields });
    this.#parts.push(cache);
    return cache;
  }

  /** The one of whole objects, with all of them in it. Throws a CacheError that says why it cannot be had. */
  async filled<R extends ApiObject>(resource: TypedResource<R>, signal: AbortSignal): Promise<Cache<R>> {
    const cache = this.declare(resource);
    if (cache.synced.hasSynced()) return cache;
    if (this.#lifetime !== undefined) this.#kit.env.informers.start(this.#lifetime);
    await this.#fill([cache], signal, (error) => {
      throw error;
    });
    return cache;
  }

  /** For all that the controller is wired with: it may have to wait for a definition that is installed after it. */
  async fillAll(signal: AbortSignal): Promise<void> {
    await this.#fill([...this.#caches.values(), ...this.#parts], signal, (error) => {
      this.#kit.env.log.warn("A cache cannot be filled yet", { why: messageOf(error) });
    });
  }

  async #fill(
    caches: readonly Filling[],
    signal: AbortSignal,
    onRefused: (error: CacheError) => void,
  ): Promise<void> {
    const { clock } = this.#kit.env;
    const endMs = clock.monotonicMs() + this.#options.syncTimeoutMs;
    for (let patienceMs = PATIENCE_MS; ; patienceMs *= 10) {
      const limitMs = Math.ceil(Math.min(patienceMs, endMs - clock.monotonicMs()));
      try {
        const synced = caches.map((cache) => cache.synced);
        await withDeadline(clock, { limitMs, what: "filling the caches" }, whenSynced(clock, synced), signal);
        return;
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error;
      }
      const late = caches.find(({ synced }) => !synced.hasSynced());
      if (late === undefined) return;
      const refusal = await this.#refusalOf(late.resource, signal);
      if (clock.monotonicMs() >= endMs) throw refusal ?? this.#lateError(late.resource);
      if (refusal !== undefined) onRefused(refusal);
    }
  }

  #lateError(resource: Resource): CacheError {
    const seconds = this.#options.syncTimeoutMs / 1_000;
    return new CacheError(`the cache of ${groupResource(resource)} is not complete after ${seconds}s`);
  }

  /** Why the server does not let the cache be filled; undefined when it would. */
  async #refusalOf(resource: Resource, signal: AbortSignal): Promise<CacheError | undefined> {
    const name = groupResource(resource);
    try {
      await this.#kit.env.client.dynamic(resource).list({ limit: 1 }, signal);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) {
        const version = apiVersionOf(resource);
        const why = `the cluster serves no ${name} in ${version}: is the CustomResourceDefinition installed?`;
        return new CacheError(why, error);
      }
      if (isForbidden(error))
        return new CacheError(`${name} may not be listed and watched: ${messageOf(error)}`, error);
      return new CacheError(`${name} cannot be listed: ${messageOf(error)}`, error);
    }
  }
}
