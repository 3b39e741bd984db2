import { featureGates } from "../../pkg/api/feature-gates.ts";
import type { ApiObject, ObjectRef } from "../../pkg/api/object.ts";
import { apiVersionOf, type TypedResource } from "../../pkg/api/resource.ts";
import { formatTime } from "../../pkg/api/time.ts";
import { bucketName, storageKey } from "../../pkg/apiserver/server/served-resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Event } from "../../pkg/api/types/core-v1.gen.ts";
import { clientBuilder, type ClientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { allKinds } from "../../pkg/apiserver/kinds/all-kinds.ts";
import type { ApiServer } from "../../pkg/apiserver/server/api-server.ts";
import { forbidden, StatusError } from "../../pkg/apiserver/server/status-error.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { type Logger, silentLogger } from "../../pkg/log/logger.ts";
import { type Metrics, noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { HollowKubelet, type HollowKubeletOptions, markPod, type PodFate } from "./hollow-kubelet.ts";
import { RecordedTransport, type Write } from "../../pkg/testing/recorded-transport.ts";
import { UndeclaredReads } from "./undeclared-reads.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";

export interface WorldOptions {
  readonly seed?: number;
  readonly features?: Readonly<Record<string, boolean>>;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly fairQueues?: boolean;
  readonly syncHistory?: number;
  /** Requests a second of each controller; no limit when left out. */
  readonly qps?: number;
  /** Versions of groups that the server serves beside the usual ones. */
  readonly runtimeConfig?: readonly string[];
  /** The server stands in for v1.MINOR; for the newest when left out. */
  readonly kubernetesMinor?: number;
  /** Between the clients and the server. */
  readonly transport?: (server: Transport) => Transport;
}

const UNLIMITED_QPS = 1_000_000;

/** Namespace of everything that does not say otherwise. */
export const NAMESPACE = "default";

/**
 * An API server, a clock and any number of controllers in this process. Nothing happens but while time is let pass, and
 * the same seed and steps give the same history.
 */
export class ControllerWorld {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  /** As the test itself: its writes are recorded as those of "test". */
  readonly client: ClientSet;
  readonly #options: WorldOptions;
  readonly #clients: ClientBuilder;
  readonly #random;
  readonly #writes: Write[] = [];
  readonly #undeclared = new UndeclaredReads();
  readonly #running: {
    readonly set: ControllerSet;
    readonly stop: AbortController;
    readonly ended: Promise<void>;
  }[] = [];

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.#random = seededRandom(options.seed ?? 1);
    const { runtimeConfig = [], kubernetesMinor } = options;
    this.server = embeddedServer({
      clock: this.clock,
      random: this.#random,
      kinds: allKinds,
      runtimeConfig,
      ...(kubernetesMinor !== undefined && { kubernetesMinor }),
    });
    const { transport = (server) => server, qps = UNLIMITED_QPS } = options;
    this.#clients = clientBuilder({
      transports: sharedTransports(
        new RecordedTransport(transport(new DirectTransport(this.server)), (write) =>
          this.#writes.push(write),
        ),
      ),
      clock: this.clock,
      log: silentLogger,
      metrics: noMetrics,
      host: "embedded",
      userAgent: "test",
      qps,
      burst: qps,
    });
    this.client = this.#clients.client("test", { qpsFactor: UNLIMITED_QPS, burstFactor: UNLIMITED_QPS });
  }

  /** Starts controllers and lets them read everything. Gives what tells of their health. */
  async start(
    ...descriptors: ControllerDescriptor[]
  ): Promise<Pick<ControllerSet, "names" | "health" | "informerHealth" | "debug">> {
    const { fairQueues, syncHistory } = this.#options;
    const set = new ControllerSet({
      descriptors,
      clients: this.#clients,
      gate: openGate,
      clock: this.clock,
      random: this.#random,
      log: this.#options.log ?? silentLogger,
      metrics: this.#options.metrics ?? noMetrics,
      features: featureGates(this.#options.features),
      name: "test",
      ...(fairQueues !== undefined && { fairQueues }),
      ...(syncHistory !== undefined && { syncHistory }),
      strict: this.#undeclared.note,
    });
    const stop = new AbortController();
    const ended = set.run(stop.signal);
    // Whoever stops the controllers is told of a failure.
    ended.catch(() => undefined);
    this.#running.push({ set, stop, ended });
    await this.run();
    return set;
  }

  /**
   * Ends the controllers that run, in order; the server stays. None of their handlers may have failed, and none may have
   * read what it has not declared.
   */
  async stop(): Promise<void> {
    const running = this.#running.splice(0);
    const failed = running.flatMap(({ set }) =>
      set.informerHealth().flatMap(({ name, handlerFailures }) => (handlerFailures > 0 ? [name] : [])),
    );
    for (const { stop } of running) stop.abort(new Error("the test is over"));
    let ended = false;
    const all = Promise.all(running.map(async (each) => each.ended)).finally(() => (ended = true));
    // It is waited for below.
    all.catch(() => undefined);
    await this.clock.runUntil(() => ended, 60_000);
    await all;
    this.#undeclared.check();
    if (failed.length > 0) throw new Error(`handlers of ${failed.join(", ")} failed; the log says why`);
  }

  /** Lets time pass: enough, by default, for controllers to do all that does not wait for longer times. */
  async run(durationMs = 2_000): Promise<void> {
    await this.clock.advanceBy(durationMs);
  }

  async create<T extends ApiObject>(resource: TypedResource<T>, object: T): Promise<T> {
    const namespaced = resource.namespaced && object.metadata.namespace === undefined;
    const metadata = namespaced ? { ...object.metadata, namespace: NAMESPACE } : object.metadata;
    return this.client.clientFor(resource).create({ ...object, metadata });
  }

  /** Creates it and gives it the status that it comes with. */
  async createWithStatus<T extends ApiObject & { readonly status?: unknown }>(
    resource: TypedResource<T>,
    object: T,
  ): Promise<T> {
    const created = await this.create(resource, object);
    return this.client.clientFor(resource).updateStatus({ ...created, status: object.status });
  }

  /** Has the server keep the object as it is, past all rules: an older one may have taken it. */
  keep<T extends ApiObject>(resource: TypedResource<T>, object: T): void {
    const { group, version, plural, kind, namespaced } = resource;
    const { name = "", namespace = NAMESPACE } = object.metadata;
    const metadata = {
      uid: `uid-${name}`,
      creationTimestamp: formatTime(this.clock.nowMs()),
      ...(namespaced && { namespace }),
      ...object.metadata,
    };
    const kept: ApiObject = { apiVersion: apiVersionOf({ group, version }), kind, ...object, metadata };
    const { store } = this.server.parts;
    store.put(bucketName(group, plural), storageKey(namespaced, namespace, name), undefined, kept);
  }

  /** Reads, changes and writes. */
  async update<T extends ApiObject>(
    resource: TypedResource<T>,
    name: string,
    change: (object: T) => T,
  ): Promise<T> {
    return this.client.clientFor(resource).update(change(await this.get(resource, name)));
  }

  async get<T extends ApiObject>(resource: TypedResource<T>, name: string): Promise<T> {
    return this.client.clientFor(resource).get(this.#ref(resource, name));
  }

  async list<T extends ApiObject>(resource: TypedResource<T>, labelSelector?: string): Promise<readonly T[]> {
    const selector = labelSelector === undefined ? {} : { labelSelector };
    return (await this.client.clientFor(resource).list(selector)).items;
  }

  async delete(resource: TypedResource<ApiObject>, name: string): Promise<void> {
    await this.client.clientFor(resource).delete(this.#ref(resource, name));
  }

  /**
   * Caches of the resource hear nothing until the function given back is called, and must list anew then: what came
   * and went meanwhile they are never told of.
   */
  hideEvents(resource: string): () => void {
    const { faults, store } = this.server.parts;
    const release = faults.holdWatches({ resource });
    return () => {
      store.compact();
      faults.dropWatches({ resource });
      release();
    };
  }

  /** Its creations are refused from now on, as in a namespace that is going away. */
  refuseCreations(resource: string): void {
    const details = { causes: [{ reason: "NamespaceTerminating", message: "it is being terminated" }] };
    const error = new StatusError(403, "Forbidden", "forbidden", { details });
    this.server.parts.faults.add({
      target: { verb: "create", resource },
      action: { kind: "status", when: "before", error },
    });
  }

  /** As a quota would: so many pods can be created, and no more. */
  allowPods(most: number): void {
    let created = 0;
    const run = (): void => {
      if (++created > most) throw forbidden(resources.pods, "", "exceeded quota");
    };
    const target = { verb: "create", resource: "pods" } as const;
    this.server.parts.faults.add({ target, action: { kind: "interfere", run } });
  }

  async markPod(name: string, fate: PodFate): Promise<void> {
    await markPod(this.client, { namespace: NAMESPACE, name }, fate, this.clock.nowMs());
  }

  /** Lets time pass with a kubelet at work, until it has nothing to do any more. */
  async runWithKubelet(options: Omit<HollowKubeletOptions, "client" | "clock"> = {}): Promise<void> {
    const kubelet = new HollowKubelet({ ...options, client: this.client, clock: this.clock });
    for (let quiet = 0; quiet < 3;) {
      await this.run(500);
      quiet = (await kubelet.step()) === 0 ? quiet + 1 : 0;
    }
  }

  /** The writes of controllers since the last call, in order, those of the test left out. */
  takeWrites(): readonly Write[] {
    return this.#writes.splice(0).filter(({ actor }) => actor !== "test");
  }

  /** Events as "Reason message", in order of their first time. */
  async events(): Promise<readonly string[]> {
    await this.run();
    const events = await this.list<Event>(resources.events);
    return events.map(({ reason, message }) => `${reason} ${message}`);
  }

  #ref(resource: TypedResource<ApiObject>, name: string): ObjectRef {
    return resource.namespaced ? { namespace: NAMESPACE, name } : { name };
  }
}

/** A world with the namespace, in which nothing runs yet. */
export async function newWorld(options: WorldOptions = {}): Promise<ControllerWorld> {
  const world = new ControllerWorld(options);
  await world.client.clientFor(resources.namespaces).create({ metadata: { name: NAMESPACE } });
  return world;
}

/** E.g. "update deployments/status web". */
export function lineOf({ verb, resource, name }: Write): string {
  return name === "" ? `${verb} ${resource}` : `${verb} ${resource} ${name}`;
}
