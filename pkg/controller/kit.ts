import type { ApiObject, PartialObject, StoredObject } from "../api/object.ts";
import type { PathsOf } from "../api/projected.ts";
import type { Resource, TypedResource } from "../api/resource.ts";
import type { HandlerOptions } from "../cache/informer/informer.ts";
import type { InformerOptions } from "../cache/informer/informer-factory.ts";
import type { BackOff } from "../workqueue/rate-limiter.ts";
import type { Priority, WorkQueue } from "../workqueue/queue.ts";
import { JoinedInformer } from "../cache/informer/joined-informer.ts";
import type { Fields, Seen } from "../cache/store/projection.ts";
import { createWorkQueue } from "../workqueue/work-queue.ts";
import { Cache, type WakeRule } from "./cache.ts";
import { type Synced, whenSynced } from "./caches-ready.ts";
import { ConsistencyStore, type VersionedCache } from "./consistency.ts";
import { historyPage } from "./history-page.ts";
import type { Controller, ControllerDescriptor, ControllerHealth, DebugPage, Env } from "./env.ts";
import { SyncHistory } from "./history.ts";
import { KeyQueue } from "./key-queue.ts";
import { RecordedWrites } from "./recorded-writes.ts";
import type { OwnerSync, SyncFunction, SyncResult } from "./sync.ts";
import { itself } from "./wake-rules.ts";
import { type SyncGate, type Verdict, WorkerPool } from "./worker.ts";

/** How a controller reads a resource. */
export interface ReadOptions<F extends Fields> extends InformerOptions<F>, HandlerOptions {
  /** Only these are read, each on its own. */
  readonly namespaces?: readonly string[] | undefined;
}

export interface QueueOptions<K> {
  /** Name of the queue in metrics, at health checks and in the history. */
  readonly name: string;
  readonly workers: number;
  readonly sync: SyncFunction<K>;
  /** How long keys that failed wait; the usual when left out. */
  readonly backOff?: BackOff;
  /** After this many failures in a row a key is left alone until its next change. Absent: it is retried for ever. */
  readonly maxRetries?: number;
  /** Asked about every failure that is the key's own; undefined: it is tried again after a delay that grows. */
  readonly judge?: (key: K, error: unknown) => Verdict | undefined;
  /** Keys wait until the caches have seen what was written for them. */
  readonly gate?: SyncGate<K>;
  /**
   * Keys that are synced again and again wait as those of the first list do ("background"): where there is more to do
   * than can be done, they would otherwise come before these all the time.
   */
  readonly again?: Priority;
  /** The group that a key takes turns with; by default the namespace in it. */
  readonly groupOf?: (key: K) => string;
  /** Keys are synced in the order in which they came, whatever their namespace and urgency. */
  readonly inOrder?: true;
  /** It has no metrics: upstream has no such queue. */
  readonly unmeasured?: true;
  /** Its name at health checks, where another queue has the same name in metrics. */
  readonly label?: string;
  /** What is waited for before the first sync, in place of the caches that the controller reads. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
}

/** Something that is remembered of owners, and forgotten with them. */
export interface OwnerMemory {
  /** This very owner is gone. */
  delete(owner: StoredObject): void;
  /** Nobody has the name any more. */
  deleteName(key: string): void;
}

export interface OwnerQueueOptions<T extends PartialObject> extends Omit<
  QueueOptions<string>,
  "sync" | "groupOf" | "inOrder"
> {
  readonly owners: Cache<T, ApiObject>;
  readonly sync: (sync: OwnerSync<T>) => Promise<SyncResult>;
  /** Which changes of an owner wake it, and when; all at once when left out. */
  readonly wakes?: WakeRule<T>;
  /** Where the controller has owners of several kinds: what is written for these. */
  readonly consistency?: ConsistencyStore;
  readonly remembers?: readonly OwnerMemory[];
  /** Called when a key is synced whose owner is gone. */
  readonly gone?: (key: string) => void;
  /** Syncs a key whose owner is gone, where something of the owner is left in the cluster. */
  readonly syncGone?: SyncFunction<string>;
}

export interface RoundOptions extends Pick<QueueOptions<string>, "ready"> {
  /** Its name at health checks and in the history. */
  readonly name: string;
  readonly periodMs: number;
  /** The first begins a period after the caches are complete, and not at once. */
  readonly waitsFirst?: true;
  readonly round: SyncFunction<string>;
}

export interface ReadYourWritesOptions {
  /** The gate that switches it on. */
  readonly featureGate: string;
  /** Owners of this resource; their syncs that were put off are counted, by `group` and `resource` of what was written. */
  readonly skipsOf?: Resource;
}

/** The settings of most controllers. */
export interface WorkerSettings {
  readonly workers: number;
}

interface Pool {
  readonly label: string;
  readonly pool: Pick<WorkerPool<unknown>, "run" | "liveness">;
  readonly history: SyncHistory | undefined;
}

/**
 * What a controller is wired with: caches that it reads, queues that it is woken through, and rounds. What all
 * controllers need follows from that and cannot be forgotten: syncs wait for the caches, what somebody has just done
 * goes first, namespaces take turns, every queue is known to metrics and health checks, every sync to the history.
 */
export class Kit {
  readonly env: Env;
  /** What syncs write for their owners. The next one of an owner waits until the caches that are read have seen it. */
  readonly consistency: ConsistencyStore;
  readonly #caches: (VersionedCache & { readonly synced: Synced; end(): void })[] = [];
  #kindOfOwners: string | undefined;
  readonly #pools: Pool[] = [];
  readonly #timedKeys: WorkQueue<string>[] = [];
  readonly #tasks: ((signal: AbortSignal) => Promise<void>)[] = [];
  readonly #beforeSyncs: (() => void)[] = [];
  readonly #pages = new Map<string, (query: URLSearchParams) => DebugPage>();
  #ready: Promise<void> | undefined;

  constructor(env: Env) {
    this.env = env;
    this.consistency = this.newConsistency();
  }

  /** As `consistency`, for owners of another kind: their keys may be the same. */
  newConsistency(): ConsistencyStore {
    const { clock, log } = this.env;
    return new ConsistencyStore({ clock, log, caches: this.#caches });
  }

  /** No sync begins before this cache is complete. */
  reads<T extends PartialObject>(resource: TypedResource<T>, options?: ReadOptions<"whole">): Cache<T>;
  /** Of the objects only these fields are known, and kept. */
  reads<T extends PartialObject, const F extends readonly string[]>(
    resource: TypedResource<T>,
    options: ReadOptions<F> & { readonly fields: PathsOf<T, F> },
  ): Cache<Seen<T, F>, T>;
  reads<T extends PartialObject, F extends Fields>(
    resource: TypedResource<T>,
    options: ReadOptions<F> = {},
  ): Cache<Seen<T, F>, T> {
    return this.readsFields(resource, options);
  }

  /** As `reads`, of fields that somebody else has made sure are there. */
  readsFields<T extends PartialObject, F extends Fields>(
    resource: TypedResource<T>,
    options: ReadOptions<F>,
  ): Cache<Seen<T, F>, T> {
    const { resyncMs, namespaces, ...scope } = options;
    const { informers } = this.env;
    const informer =
      namespaces === undefined || !resource.namespaced
        ? informers.informer<T, F>(resource, scope)
        : new JoinedInformer(
            new Map(
              namespaces.map((namespace) => [
                namespace,
                informers.informer<T, F>(resource, { ...scope, namespace }),
              ]),
            ),
          );
    const how = resyncMs === undefined ? {} : { resyncMs };
    const cache = new Cache<Seen<T, F>, T>(resource, informer, how);
    this.#caches.push(cache);
    return cache;
  }

  /** A queue of keys, and the workers that sync them. */
  queue<K = string>(options: QueueOptions<K>): KeyQueue<K> {
    const { clock, metrics, log, fairQueues, syncHistory } = this.env;
    const { name, label = name, unmeasured, inOrder, groupOf, backOff } = options;
    const work = createWorkQueue<K>({
      clock,
      ...(unmeasured !== true && { name, metrics }),
      fair: fairQueues && inOrder !== true,
      priorities: inOrder !== true,
      ...(groupOf && { groupOf }),
      ...(backOff && { backOff }),
    });
    const queue = new KeyQueue(work);
    const history = syncHistory > 0 ? new SyncHistory(syncHistory) : undefined;
    const { workers, sync, maxRetries, judge, gate, again, ready = this.#whenReady } = options;
    const pool = new WorkerPool<K>({
      queue: work,
      reasons: queue.reasons,
      history,
      workers,
      sync,
      ready,
      clock,
      log,
      ...(maxRetries !== undefined && { maxRetries }),
      ...(judge && { judge }),
      ...(gate && { gate }),
      ...(again && { again }),
    });
    if (this.#pools.some((other) => other.label === label))
      throw new Error(`two queues are named ${label}: give one of them a label`);
    this.#pools.push({ label, pool, history });
    return queue;
  }

  /**
   * A queue of the keys of objects. They are woken by their own changes and looked up before they are synced; what is
   * remembered of one that is gone is forgotten.
   */
  ownerQueue<T extends PartialObject>(options: OwnerQueueOptions<T>): KeyQueue {
    const { owners, sync, wakes = itself<T>, remembers = [], gone, syncGone, gate, ...rest } = options;
    const { consistency = this.#consistencyOf(owners) } = options;
    const memories = [consistency, ...remembers];
    const queue = this.queue<string>({
      ...rest,
      gate: { waitMs: (key) => gate?.waitMs(key) ?? consistency.waitMs(key) },
      sync: async (run) => {
        const owner = owners.lister.getByKey(run.key);
        if (owner !== undefined) return sync(Object.assign(run, { owner }));
        for (const memory of memories) memory.deleteName(run.key);
        gone?.(run.key);
        return syncGone?.(run) ?? {};
      },
    });
    owners.hears((change) => {
      if (change.type === "deleted") for (const memory of memories) memory.delete(change.object);
    });
    owners.wakes(queue, wakes);
    return queue;
  }

  #consistencyOf({ resource }: { readonly resource: Resource }): ConsistencyStore {
    const { kind } = resource;
    this.#kindOfOwners ??= kind;
    if (kind === this.#kindOfOwners) return this.consistency;
    throw new Error(`${kind} is not ${this.#kindOfOwners}: such owners need a consistency of their own`);
  }

  /** Rounds over everything, one after the other, each so long after the end of the one before. */
  every({ name, periodMs, round, waitsFirst, ready }: RoundOptions): void {
    let waits = waitsFirst === true;
    const queue = this.queue<string>({
      name,
      unmeasured: true,
      workers: 1,
      ...(ready && { ready }),
      sync: async (run) => {
        const result = waits ? {} : await round(run);
        waits = false;
        return { requeueAfterMs: periodMs, ...result };
      },
    });
    queue.work.add(name);
  }

  /** Keys that are ready when their time is up. Workers do not take them: syncs ask which are. */
  timedKeys(name: string): WorkQueue<string> {
    const { clock, metrics } = this.env;
    const keys = createWorkQueue<string>({ clock, metrics, name, fair: false });
    this.#timedKeys.push(keys);
    return keys;
  }

  /** A client whose writes are remembered for the owners of the syncs that make them. */
  writes<T extends ApiObject>(resource: TypedResource<T>): RecordedWrites<T> {
    return new RecordedWrites(this, resource);
  }

  /** For controllers of which upstream has it behind a gate; all others always wait for what was written. */
  readYourWrites({ featureGate, skipsOf }: ReadYourWritesOptions): void {
    const { features, metrics } = this.env;
    if (!features.enabled(featureGate)) return this.consistency.switchOff();
    if (skipsOf === undefined) return;
    const skips = metrics.counter({
      name: `${skipsOf.kind.toLowerCase()}_controller_stale_sync_skips_total`,
      help: `Syncs of ${skipsOf.kind}s that were put off because a cache had not seen an earlier write.`,
      labels: ["group", "resource"],
      stability: "ALPHA",
    });
    this.consistency.countSkips(skips);
  }

  /** Runs as long as the controller does. */
  task(run: (signal: AbortSignal) => Promise<void>): void {
    this.#tasks.push(run);
  }

  /** Called once, when the caches are complete and before the first sync. */
  beforeSyncs(prepare: () => void): void {
    this.#beforeSyncs.push(prepare);
  }

  /** Shown under /debug/controllers/NAME/`path`. */
  page(path: string, show: (query: URLSearchParams) => DebugPage): void {
    this.#pages.set(path, show);
  }

  /** What was wired, as a whole. */
  controller(): Controller {
    return {
      run: async (signal) => {
        const runs = [
          ...this.#tasks,
          ...this.#pools.map(
            ({ pool }) =>
              async (s: AbortSignal) =>
                pool.run(s),
          ),
        ];
        try {
          await Promise.all(runs.map(async (run) => run(signal)));
        } finally {
          for (const keys of this.#timedKeys) keys.shutDown();
          for (const cache of this.#caches) cache.end();
        }
      },
      health: () => this.#health(),
      debug: (path, query) => {
        if (path === "/") return historyPage(this.#pools, query);
        return this.#pages.get(path.slice(1))?.(query);
      },
    };
  }

  #health(): ControllerHealth {
    return { pools: Object.fromEntries(this.#pools.map(({ label, pool }) => [label, pool.liveness()])) };
  }

  readonly #whenReady = async (signal: AbortSignal): Promise<void> => {
    this.#ready ??= this.#fill(signal);
    return this.#ready;
  };

  async #fill(signal: AbortSignal): Promise<void> {
    const caches = this.#caches.map(({ synced }) => synced);
    await whenSynced(this.env.clock, caches)(signal);
    for (const prepare of this.#beforeSyncs) prepare();
  }
}

/** What is known of a controller before there is a cluster. */
export interface ControllerFacts extends Omit<ControllerDescriptor, "build" | "clientName"> {
  /** Left out where it is the controller's name. */
  readonly clientName?: string;
}

/** The descriptor of a controller, by its settings. `setUp` wires it, and starts nothing. */
export function defineController<S = void>(
  facts: ControllerFacts,
  setUp: (kit: Kit, settings: S) => void,
): (settings: S) => ControllerDescriptor {
  const described = { clientName: facts.name, ...facts };
  return (settings) => ({ ...described, build: wired((kit) => setUp(kit, settings)) });
}

/** For a descriptor: the controller that `setUp` wires. */
export function wired(setUp: (kit: Kit) => void): (env: Env) => Controller {
  return (env) => {
    const kit = new Kit(env);
    setUp(kit);
    return kit.controller();
  };
}
