import { messageOf } from "../api/errors.ts";
import type { FeatureGates } from "../api/feature-gates.ts";
import { resources } from "../api/resources.ts";
import {
  SharedInformerFactory,
  type InformerHealth,
  type Strict,
} from "../cache/informer/informer-factory.ts";
import type { ClientBuilder, ClientOptions } from "../client/client-builder.ts";
import type { ClientSet } from "../client/client-set.ts";
import type { Clock } from "../clock/clock.ts";
import { jitter, type Random } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import { EventBroadcaster } from "../events/broadcaster.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { WriteGate } from "../leader/fence.ts";
import { fencedClient, type FencedClientSet } from "../leader/fenced-client.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type HeldInformers, heldInformers } from "./held-informers.ts";
import { notedClient } from "./noted-client.ts";
import type { Controller, ControllerDescriptor, DebugPage, Env, RunningHealth } from "./env.ts";

export interface ControllerSetOptions {
  readonly descriptors: readonly ControllerDescriptor[];
  readonly clients: ClientBuilder;
  /** Every client of a controller is put behind it; what the shared informers read is not. */
  readonly gate: WriteGate;
  /** What the shared informers read with; a client of `clients` when left out. */
  readonly informerClient?: ClientSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly features: FeatureGates;
  /** Name of the program, in the metrics of its informers. */
  readonly name: string;
  /** Least time between two resyncs of the same handler; 0 or absent: never. */
  readonly leastResyncMs?: number;
  /** Each controller starts after this long and up to as long again; 0 or absent: at once. */
  readonly startIntervalMs?: number;
  /** What is read of the cluster by controllers that can do with a part of it; all of it when left out. */
  readonly namespaces?: readonly string[] | undefined;
  /** Whether namespaces take turns in queues. Default true. */
  readonly fairQueues?: boolean;
  /** How many syncs of each queue its history keeps; 0: it has none. */
  readonly syncHistory?: number;
  /** For tests. */
  readonly strict?: Strict;
}

/** Of each queue; of either sort as many. */
const SYNC_HISTORY = 50;
/** How long events that are not sent yet may take when all else has ended. */
const EVENT_FLUSH_MS = 2_000;

export class ControllerError extends Error {
  readonly code = "Controller";
  constructor(message: string, cause: unknown) {
    super(`${message}: ${messageOf(cause)}`, { cause });
    this.name = "ControllerError";
  }
}

interface Member {
  readonly name: string;
  readonly controller: Controller;
  readonly client: ClientSet;
  readonly events: EventBroadcaster | undefined;
  readonly informers: HeldInformers;
  /** Ends this one alone. */
  readonly stop: AbortController;
  ended: Promise<void> | undefined;
  state: "built" | "running" | "ended";
}

/** Controllers that share their informers: all are built, then all run until they are told to stop. */
export class ControllerSet {
  readonly #options: ControllerSetOptions;
  readonly #informers: SharedInformerFactory;
  readonly #members: Member[];
  readonly #failures: unknown[] = [];
  /** While the set runs. */
  #stop: AbortController | undefined;

  /** Throws a ControllerError when one of them cannot be built. */
  constructor(options: ControllerSetOptions) {
    this.#options = options;
    const { clients, clock, random, log, metrics, name, leastResyncMs = 0, strict } = options;
    this.#informers = new SharedInformerFactory({
      clients: options.informerClient ?? clients.client("shared-informers"),
      clock,
      random,
      log: log.child({ component: "informers" }),
      metrics,
      name,
      leastResyncMs,
      ...(strict && { strict }),
    });
    this.#members = options.descriptors
      .filter((descriptor) => this.#isWanted(descriptor))
      .map((descriptor) => this.#build(descriptor));
  }

  get names(): readonly string[] {
    return this.#members.map((member) => member.name);
  }

  /** Fills the caches before the controllers run, as a standby does that is to lose no time when it leads. */
  warmUp(signal: AbortSignal): void {
    this.#informers.start(signal);
  }

  /**
   * Resolves when all work has ended after an abort, even where there is no controller. One that fails ends the others,
   * and rejects.
   */
  async run(signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    this.#stop = stop;
    this.#informers.start(stop.signal);
    const stopped = new Promise<void>((resolve) => {
      stop.signal.addEventListener("abort", () => resolve(), { once: true });
      if (stop.signal.aborted) resolve();
    });
    const begun = this.#members.map(async (member) => this.#begin(member, stop));
    await stopped;
    await Promise.all([...begun, ...this.#members.map(async ({ ended }) => ended)]);
    signal.removeEventListener("abort", onAbort);
    await this.#informers.shutdown();
    await Promise.all(this.#members.map(async ({ events }) => events?.shutDown(EVENT_FLUSH_MS)));
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  /** Takes one more; where the others run already it runs with them. Throws when it cannot be built. */
  add(descriptor: ControllerDescriptor): void {
    if (this.names.includes(descriptor.name)) throw new Error(`${descriptor.name} is there already`);
    if (!this.#isWanted(descriptor)) return;
    const member = this.#build(descriptor);
    this.#members.push(member);
    const stop = this.#stop;
    if (stop === undefined) return;
    this.#informers.start(stop.signal);
    // What it throws has been noted by then, and is told by `run`.
    void this.#begin(member, stop);
  }

  /** Ends one and forgets it. Resolves when its work has ended, and nobody reads for it any more. */
  async remove(name: string): Promise<void> {
    const member = this.#members.find((each) => each.name === name);
    if (member === undefined) throw new Error(`there is no ${name}`);
    this.#members.splice(this.#members.indexOf(member), 1);
    member.stop.abort(new Error(`${name} is removed`));
    await member.ended;
    await member.informers.releaseAll();
    await member.events?.shutDown(EVENT_FLUSH_MS);
  }

  async #begin(member: Member, all: AbortController): Promise<void> {
    const signal = AbortSignal.any([all.signal, member.stop.signal]);
    member.ended = this.#runOne(member, signal).catch((error: unknown) => {
      if (signal.aborted && error === signal.reason) return;
      this.#failures.push(new ControllerError(`${member.name} failed`, error));
      all.abort(error);
    });
    return member.ended;
  }

  /** Names of the controllers that have yet to end. */
  stillRunning(): readonly string[] {
    return this.#members.filter((member) => member.state === "running").map((member) => member.name);
  }

  /** What each controller says of itself; undefined while it does not run, or when it has nothing to say. */
  health(): ReadonlyMap<string, RunningHealth | undefined> {
    const nowMs = this.#options.clock.monotonicMs();
    return new Map(
      this.#members.map(({ name, controller, client, state }) => {
        const own = state === "running" ? controller.health?.() : undefined;
        return [name, own && { ...own, sinceAnswerMs: nowMs - client.rest.answeredMs }];
      }),
    );
  }

  /** What a controller shows of itself; undefined while it does not run, and for a page that it does not have. */
  debug(name: string, path: string, query: URLSearchParams): DebugPage | undefined {
    const member = this.#members.find((each) => each.name === name);
    return member?.state === "running" ? member.controller.debug?.(path, query) : undefined;
  }

  informerHealth(): readonly InformerHealth[] {
    return this.#informers.health();
  }

  async #runOne(member: Member, signal: AbortSignal): Promise<void> {
    const { startIntervalMs = 0, clock, random, log } = this.#options;
    if (startIntervalMs > 0) await sleep(clock, jitter(random, startIntervalMs, 1), signal);
    log.info("Controller starting", { controller: member.name });
    member.state = "running";
    try {
      await member.controller.run(signal);
    } finally {
      member.state = "ended";
      log.info("Controller ended", { controller: member.name });
    }
  }

  #client(name: string, options?: ClientOptions): FencedClientSet {
    const { clients, gate } = this.#options;
    return fencedClient(notedClient(clients.client(name, options)), gate);
  }

  #isWanted(descriptor: ControllerDescriptor): boolean {
    const { features, log } = this.#options;
    const closed = descriptor.featureGates?.find((gate) => !features.enabled(gate));
    if (closed === undefined) return true;
    log.info("Controller is not run: its feature gate is off", { controller: descriptor.name, gate: closed });
    return false;
  }

  #build(descriptor: ControllerDescriptor): Member {
    const { clock, random, metrics, features, namespaces, fairQueues = true } = this.#options;
    const { syncHistory = SYNC_HISTORY } = this.#options;
    const log = this.#options.log.child({ component: descriptor.name });
    const { clientName, clientRate, asConfiguredUser = false } = descriptor;
    const client = this.#client(clientName, { ...clientRate, asConfiguredUser });
    const events = this.#broadcaster(descriptor, log);
    const informers = heldInformers(this.#informers.of(descriptor.name));
    const env: Env = Object.freeze({
      client,
      informers,
      clock,
      random,
      log,
      metrics,
      features,
      ...(namespaces && { namespaces }),
      fairQueues,
      syncHistory,
      events: events?.recorder({ component: descriptor.eventSource ?? "" }) ?? noEvents(descriptor.name),
    });
    try {
      const controller = descriptor.build(env);
      const stop = new AbortController();
      return {
        name: descriptor.name,
        controller,
        client,
        events,
        informers,
        stop,
        ended: undefined,
        state: "built",
      };
    } catch (error) {
      throw new ControllerError(`${descriptor.name} cannot be built`, error);
    }
  }

  /** Events have a client of their own, so that they never use up the requests of the controller's work. */
  #broadcaster(descriptor: ControllerDescriptor, log: Logger): EventBroadcaster | undefined {
    if (descriptor.eventSource === undefined) return undefined;
    const { clock, random, metrics } = this.#options;
    const client = this.#client(descriptor.clientName).writeOnly(resources.events);
    return new EventBroadcaster({ client, clock, random, log, metrics });
  }
}

/** A controller that records events must say as whom. */
function noEvents(name: string): EventRecorder {
  const refuse = (): never => {
    throw new Error(`${name} records an event but its descriptor names no eventSource`);
  };
  return { event: refuse, eventWithAnnotations: refuse };
}
