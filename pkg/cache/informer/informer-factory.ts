import { deepFreeze } from "../../api/freeze.ts";
import type { PartialObject, StoredObject } from "../../api/object.ts";
import type { Resource, TypedResource } from "../../api/resource.ts";
import { groupResource } from "../../api/resource.ts";
import type { ResourceClient } from "../../client/resource-client.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import type { Logger } from "../../log/logger.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { SharedInformer } from "./informer.ts";
import { InformerMetrics } from "./informer-metrics.ts";
import { Interner } from "../store/interner.ts";
import type { Scope } from "../feed/list-watch.ts";
import { scopedListWatch } from "../feed/list-watch.ts";
import type { Fields, Seen, Trap } from "../store/projection.ts";
import { OwnFields } from "../store/own-fields.ts";
import { Projection } from "../store/projection.ts";
import { ResourceInformer } from "./resource-informer.ts";
import { TaskTurns } from "../../clock/task-turns.ts";

/** The two clients of every resource that informers read with. */
interface InformerClients {
  dynamic(resource: Resource): Pick<ResourceClient, "listEach" | "watch">;
  /** Objects hold metadata only. */
  metadata(resource: Resource): Pick<ResourceClient, "listEach" | "watch">;
}

export interface InformerFactoryOptions {
  readonly clients: InformerClients;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The label `name` of the metrics. */
  readonly name: string;
  /** Handlers are resynced once in between this and twice as long, drawn once per informer. 0 or absent: never. */
  readonly leastResyncMs?: number;
  /** Ask for the first state as a stream of events rather than as a list. Default true. */
  readonly streamLists?: boolean;
  /** Applied to every object after the projection and before it is cached. It must return a new object or the same. */
  readonly transform?: <T extends PartialObject>(object: T) => T;
  readonly strict?: Strict;
}

/**
 * For tests: to change a cached object throws, and so does to read a field that the consumer has not declared. That is
 * told here, too: whoever syncs would only try again.
 */
export type Strict = (undeclared: UndeclaredReadError) => void;

export class UndeclaredReadError extends Error {
  readonly code = "UndeclaredRead";
  constructor(consumer: string, resource: Resource, field: string) {
    super(`${consumer} reads ${field} of ${groupResource(resource)}, which it has not declared`);
    this.name = "UndeclaredReadError";
  }
}

/** Where consumers get their informers. */
export type Informers = Pick<SharedInformerFactory, "informer" | "metadataInformer" | "start" | "release">;

export interface InformerOptions<F extends Fields = Fields> extends Scope {
  /** What this consumer reads of the objects; the cache holds what any consumer reads. Default "whole". */
  readonly fields?: F;
  /** Named when it reads what it has not declared. */
  readonly consumer?: string;
  /** A manager: what it has applied of the objects is kept, as far as the cache does not run already. */
  readonly applied?: string;
  /** Where a cache runs already that has not all of whole objects, one that has is made beside it. */
  readonly beside?: boolean;
}

export interface MetadataInformerOptions extends Scope {
  /** Paths below `metadata`. */
  readonly fields?: readonly string[];
  readonly consumer?: string;
}

export interface InformerHealth {
  readonly name: string;
  readonly synced: boolean;
  /** Since when the server has sent nothing. */
  readonly silentMs: number;
  readonly lastError: unknown;
  /** Why the cache lacks something; undefined while it is whole. */
  readonly failure: unknown;
  /** Events on which a handler threw. */
  readonly handlerFailures: number;
}

interface Entry {
  readonly name: string;
  readonly informer: ResourceInformer<PartialObject>;
  readonly projection: Projection;
  readonly stop: AbortController;
  run: Promise<void> | undefined;
  /** How often it was asked for and not given back. */
  holders: number;
}

/** One informer per resource and scope, however many consumers ask for it. */
export class SharedInformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #metrics: InformerMetrics;
  readonly #tasks: TaskTurns;
  readonly #interner = new Interner();
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
    this.#metrics = new InformerMetrics(options.metrics, options.name);
    this.#tasks = new TaskTurns(options.clock, options.log);
  }

  /** An informer of whole or projected objects. */
  informer<T extends PartialObject, const F extends Fields = "whole">(
    resource: TypedResource<T>,
    options: InformerOptions<F> = {},
  ): SharedInformer<Seen<T, F>> {
    const { fields = "whole", consumer, beside = false, applied, ...scope } = options;
    const isLate = beside && this.#lacks(resource, scope, fields);
    const entry = this.#entry(resource, scope, isLate ? "whole" : "objects");
    entry.projection.add(fields);
    if (applied !== undefined) entry.projection.keepApplied(applied);
    const informer = entry.informer as unknown as SharedInformer<Seen<T, F>>;
    return this.#seenBy(consumer, informer, resource, fields);
  }

  /**
   * An informer of which only the metadata is read: all of it, or these `fields` of it and what every projection has.
   * It shares the cache of whole or projected objects if there is one.
   */
  metadataInformer(resource: Resource, options: MetadataInformerOptions = {}): SharedInformer {
    const { fields = ["metadata"], consumer, ...scope } = options;
    const objects = this.#entries.get(entryKey(resource, scope, "objects"));
    const shares = objects !== undefined && (objects.run === undefined || objects.projection.covers(fields));
    const entry = this.#entry(resource, scope, shares ? "objects" : "metadata");
    entry.projection.add(fields);
    return this.#seenBy(consumer, entry.informer, resource, fields);
  }

  /** Whether a cache runs already that was not asked for whole objects. */
  #lacks(resource: Resource, scope: Scope, fields: Fields): boolean {
    const entry = this.#entries.get(entryKey(resource, scope, "objects"));
    return fields === "whole" && entry?.run !== undefined && !entry.projection.covers(fields);
  }

  /** The informers for one consumer, which they know by name. */
  of(consumer: string): Informers {
    return {
      informer: (resource, options) => this.informer(resource, { ...options, consumer }),
      metadataInformer: (resource, options) => this.metadataInformer(resource, { ...options, consumer }),
      start: (signal) => this.start(signal),
      release: async (informer) => this.release(informer),
    };
  }

  /** In tests each consumer finds what it declared itself, and not what others did. */
  #seenBy<T extends PartialObject>(
    consumer: string | undefined,
    informer: SharedInformer<T>,
    resource: Resource,
    fields: Fields,
  ): SharedInformer<T> {
    if (this.#options.strict === undefined || fields === "whole") return informer;
    const own = new Projection(resource, this.#interner, this.#trap(resource, consumer));
    own.add(fields);
    return new OwnFields(informer, own);
  }

  #trap(resource: Resource, consumer = "somebody"): Trap | undefined {
    const { strict } = this.#options;
    return (
      strict &&
      ((field) => {
        const error = new UndeclaredReadError(consumer, resource, field);
        strict(error);
        throw error;
      })
    );
  }

  /** Starts what was asked for since the last start. Informers run until `signal` aborts or the factory is shut down. */
  start(signal: AbortSignal): void {
    if (this.#stop.signal.aborted) return;
    for (const entry of this.#entries.values()) {
      if (entry.run !== undefined) continue;
      entry.projection.seal();
      entry.run = entry.informer.run(AbortSignal.any([signal, this.#stop.signal, entry.stop.signal]));
      entry.run.catch((error: unknown) =>
        this.#options.log.error(error, "An informer failed", { informer: entry.name }),
      );
    }
  }

  /** Waits until all started informers hold complete lists; resolves to the names of those that do not when `signal` aborts. */
  async waitForSync(signal: AbortSignal): Promise<readonly string[]> {
    const started = [...this.#entries.values()].filter((entry) => entry.run !== undefined);
    await Promise.all(started.map(async (entry) => entry.informer.whenSynced(signal)));
    return started.filter((entry) => !entry.informer.hasSynced()).map((entry) => entry.name);
  }

  /**
   * Gives back what was asked for once, as when the definition of a custom resource is gone. When nobody has it any
   * more it is stopped, and this resolves when it has ended; whoever asks for it again gets a new one.
   */
  async release(informer: SharedInformer): Promise<void> {
    const shared = informer instanceof OwnFields ? informer.shared : informer;
    for (const [key, entry] of this.#entries) {
      if (entry.informer !== shared) continue;
      if (--entry.holders > 0) return;
      this.#entries.delete(key);
      entry.stop.abort(new Error(`the informer of ${entry.name} was released`));
      this.#metrics.forget(entry.name);
      await Promise.allSettled([entry.run]);
    }
  }

  /** Stops all informers and resolves when they have ended. Nothing can be started afterwards. */
  async shutdown(): Promise<void> {
    this.#stop.abort(new Error("the informers are shut down"));
    await Promise.allSettled([...this.#entries.values()].flatMap((entry) => entry.run ?? []));
  }

  /** The state of every informer that runs. */
  health(): readonly InformerHealth[] {
    const nowMs = this.#options.clock.monotonicMs();
    return [...this.#entries.values()]
      .filter((entry) => entry.informer.running)
      .map(({ name, informer }) => ({
        name,
        synced: informer.hasSynced(),
        silentMs: nowMs - informer.silentSinceMs(),
        lastError: informer.lastError(),
        failure: informer.failure(),
        handlerFailures: informer.handlerFailures(),
      }));
  }

  #entry(resource: Resource, scope: Scope, flavour: Flavour): Entry {
    const key = entryKey(resource, scope, flavour);
    const existing = this.#entries.get(key);
    if (existing !== undefined) {
      existing.holders++;
      return existing;
    }
    const projection = new Projection(resource, this.#interner, this.#trap(resource));
    const entry = {
      name: nameOf(resource, scope, flavour),
      informer: this.#build(resource, scope, flavour, projection),
      projection,
      stop: new AbortController(),
      run: undefined,
      holders: 1,
    };
    this.#entries.set(key, entry);
    return entry;
  }

  #build(
    resource: Resource,
    scope: Scope,
    flavour: Flavour,
    projection: Projection,
  ): ResourceInformer<PartialObject> {
    const { clients, clock, random, leastResyncMs = 0, streamLists } = this.#options;
    const client = flavour === "metadata" ? clients.metadata(resource) : clients.dynamic(resource);
    const name = nameOf(resource, scope, flavour);
    let observe: (tookMs: number) => void = () => undefined;
    const informer = new ResourceInformer<PartialObject>({
      source: scopedListWatch(client, scope, () => projection.wanted),
      transform: this.#transformOf(projection),
      namespaced: resource.namespaced,
      clock,
      random,
      log: this.#options.log.child({ informer: name }),
      tasks: this.#tasks,
      resyncMs: leastResyncMs * (1 + random.next()),
      onBatch: (tookMs) => observe(tookMs),
      ...(streamLists === undefined ? {} : { streamLists }),
    });
    // Like upstream, the labels tell resources apart and nothing narrower.
    if (name === groupResource(resource)) {
      observe = this.#metrics.track(name, resource, () => ({
        queued: informer.queued(),
        resourceVersion: informer.lastSyncResourceVersion(),
      }));
    }
    return informer;
  }

  #transformOf(projection: Projection): (object: StoredObject, exact: boolean) => StoredObject {
    const { transform = (object) => object, strict } = this.#options;
    const whole = (object: StoredObject, exact: boolean): StoredObject =>
      transform(exact ? projection.adopt(object) : projection.apply(object));
    return strict === undefined ? whole : (object, exact) => deepFreeze(whole(object, exact));
  }
}

type Flavour = "objects" | "whole" | "metadata";

function entryKey(resource: Resource, scope: Scope, flavour: Flavour): string {
  const { namespace = "", labelSelector = "", fieldSelector = "" } = scope;
  return JSON.stringify([
    groupResource(resource),
    resource.version,
    flavour,
    namespace,
    labelSelector,
    fieldSelector,
  ]);
}

/** "deployments.apps", with whatever narrows it down. */
function nameOf(resource: Resource, scope: Scope, flavour: Flavour): string {
  const { namespace, labelSelector, fieldSelector } = scope;
  const parts = [namespace, labelSelector, fieldSelector, flavour === "objects" ? undefined : flavour];
  const narrowed = parts.filter((part) => part !== undefined && part !== "");
  return narrowed.length === 0
    ? groupResource(resource)
    : `${groupResource(resource)} (${narrowed.join(", ")})`;
}
