import { featureGates } from "../../../pkg/api/feature-gates.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { clientBuilder, type ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { type Random, seededRandom } from "../../../pkg/clock/random.ts";
import { builtInAdmission } from "../../../pkg/apiserver/admission/built-in-admission.ts";
import { DirectTransport } from "../../../pkg/apiserver/direct-transport.ts";
import { allKinds } from "../../../pkg/apiserver/kinds/all-kinds.ts";
import { plant } from "../../../pkg/cluster/plant.ts";
import type { ApiServer } from "../../../pkg/apiserver/server/api-server.ts";
import { embeddedServer } from "../../../pkg/apiserver/embedded-server.ts";
import { Store } from "../../../pkg/apiserver/storage/store.ts";
import type { ElectionTiming } from "../../../pkg/leader/election-timing.ts";
import { openGate } from "../../../pkg/leader/fence.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";
import { LoadMetrics } from "../../harness/load-metrics.ts";
import type { Transport } from "../../../pkg/client/transport.ts";
import type { Stored } from "../../../pkg/api/object.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { parseLabelSelector } from "../../../pkg/api/labels-parse.ts";
import { podsIn } from "./objects.ts";
import type { Disks } from "./disks.ts";
import { History, VOLUME_BUCKETS } from "./history.ts";
import { Machine } from "./machine.ts";
import { ManagerProcess, WATCHED, WATCHED_OF_VOLUMES } from "./process.ts";
import { HEARTBEAT_MS, type NodeSettings } from "./node-settings.ts";
import { processLog } from "./process-log.ts";
import { reliableTransport } from "./reliable-transport.ts";
import { describeRequest } from "./request-of.ts";
import { Trace } from "./trace.ts";
import { volumeDriver } from "./volume-driver.ts";
import { calmWeather, clearUp } from "./weather.ts";
import { type Arrival, Wire } from "./wire.ts";

export interface WorldOptions {
  readonly seed: number;
  readonly managers: number;
  readonly nodes: number;
  readonly timing: ElectionTiming;
  readonly descriptors: () => readonly ControllerDescriptor[];
  /** Undefined: no controller looks after nodes. */
  readonly nodeSettings?: NodeSettings | undefined;
  /** Whether there are autoscalers. */
  readonly autoscales?: boolean | undefined;
  /** Undefined: volumes are made by the plant, and nothing is attached. */
  readonly disks?: Disks | undefined;
  readonly traced: boolean;
  /** Time ends with the first violation: what is wrong may be so very often. */
  readonly untilViolation: boolean;
}

/** Who is writing to the server right now. */
export interface Actor {
  readonly name: string;
  readonly process: ManagerProcess | undefined;
  /** The part of the program, by the name of its client. */
  readonly client: string;
}

function selectedPods(store: Store, namespace: string, labelSelector: string): readonly Stored<Pod>[] {
  const selector = parseLabelSelector(labelSelector);
  return podsIn(store).filter(
    ({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels),
  ) as readonly Stored<Pod>[];
}

export const NAMESPACE = "default";
const RESTART_MS = 3_000;
/** Where nobody listens for it. */
const RARE_HEARTBEAT_MS = 300_000;
const nobody: Actor = { name: "world", process: undefined, client: "" };

/** A whole cluster: API server, network, managers, scheduler, nodes, and the hands of users. */
export class World {
  readonly clock = new VirtualClock();
  readonly server: ApiServer;
  readonly weather = calmWeather();
  readonly trace: Trace | undefined;
  readonly history: History;
  readonly processes: ManagerProcess[] = [];
  /** What should never have happened, as found so far. */
  readonly violations: string[] = [];
  readonly user: ClientSet;
  /** What is measured of pods. */
  readonly metrics: LoadMetrics;
  /** Told of every write of a manager that had an effect. */
  onManagerWrite: (arrival: Arrival, process: ManagerProcess) => void = () => undefined;
  /** The same for one that the server refuses. */
  onManagerRefused: (arrival: Arrival, process: ManagerProcess) => void = () => undefined;
  /** The manager that had sent it gave up before it heard of its effect. */
  onManagerGaveUp: (arrival: Arrival) => void = () => undefined;
  /** Told of every write of a manager that had an effect, until it says that it has heard enough. */
  readonly listeners = new Set<(arrival: Arrival) => boolean>();
  /** The leader dies after so many more writes, before it hears of the last one, or is told to stop. */
  atWrite: { readonly left: number; readonly end: "kill" | "stop" } | undefined;
  #actor: Actor = nobody;
  readonly #options: WorldOptions;
  readonly #direct: DirectTransport;
  /** With the APIs of metrics. */
  readonly #measured: Transport;
  readonly #plant = new AbortController();
  #plantEnds: Promise<void> = Promise.resolve();
  #nextProcess = 1;
  readonly #everStarted: ManagerProcess[] = [];
  #isOver = false;
  #usersAreDone = false;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.trace = options.traced ? new Trace(this.clock) : undefined;
    const clock = this.clock;
    const store = new Store({ clock });
    const random = this.randomOf("server");
    const serviceCidr = "10.96.0.0/16";
    const admission = builtInAdmission({ store, clock, random, serviceCidr, serviceAccounts: false });
    this.server = embeddedServer({ clock, random, store, admission, kinds: allKinds });
    const more = options.disks === undefined ? {} : VOLUME_BUCKETS;
    this.history = new History(this.server.parts.store, this.clock, more);
    this.#direct = new DirectTransport(this.server);
    this.user = this.#reliableClients("user").client("user");
    this.metrics = new LoadMetrics(
      async (namespace, labelSelector = "") => selectedPods(store, namespace, labelSelector),
      () => clock.nowMs(),
    );
    this.#measured = this.metrics.over(this.#direct);
  }

  get autoscales(): boolean {
    return this.#options.autoscales ?? false;
  }

  get nodeSettings(): NodeSettings | undefined {
    return this.#options.nodeSettings;
  }

  get disks(): Disks | undefined {
    return this.#options.disks;
  }

  /** What the checks look into the caches of. */
  get watched(): readonly TypedResource<ApiObject>[] {
    return this.disks === undefined ? WATCHED : [...WATCHED, ...WATCHED_OF_VOLUMES];
  }

  get actor(): Actor {
    return this.#actor;
  }

  /** A source of chance that depends on the seed and on whose it is, not on what others draw. */
  randomOf(whose: string): Random {
    let hash = this.#options.seed | 0;
    for (const character of whose) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
    return seededRandom(hash);
  }

  violate(rule: string): void {
    const text = `${(this.clock.monotonicMs() / 1_000).toFixed(3)} s: ${rule}`;
    this.violations.push(text);
    this.trace?.add("check", `VIOLATION ${rule}`);
  }

  /** For what would be found with every sync. */
  #violateOnce(rule: string): void {
    if (!this.violations.some((text) => text.endsWith(`: ${rule}`))) this.violate(rule);
  }

  async start(): Promise<void> {
    const set = new ControllerSet({
      descriptors: plant({
        nodes: this.#options.nodes,
        leaseRenewMs: this.nodeSettings === undefined ? RARE_HEARTBEAT_MS : HEARTBEAT_MS,
        workers: 4,
        others: this.#options.descriptors(),
        ...this.#driver(),
      }),
      clients: this.#reliableClients("plant", () => this.weather.outageOfAll),
      gate: openGate,
      clock: this.clock,
      random: this.randomOf("plant"),
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(),
      name: "plant",
    });
    for (const name of [NAMESPACE, "kube-system", "kube-node-lease"]) {
      const created = this.user.clientFor(resources.namespaces).create({ metadata: { name } });
      await this.clock.advanceBy(10);
      await created;
    }
    this.#plantEnds = set.run(this.#plant.signal);
    for (let index = 0; index < this.#options.managers; index++) this.startManager();
  }

  /** Ends everything that runs, so that nothing is left behind. */
  async end(): Promise<void> {
    this.#isOver = true;
    for (const process of this.#everStarted) {
      process.kill();
      // It does nothing any more; but signals that something listens to are never freed, unless they abort.
      process.stop();
    }
    this.#plant.abort(new Error("the simulation is over"));
    let ended = false;
    void this.#plantEnds.then(() => (ended = true));
    await this.clock.runUntil(() => ended);
    await this.server.close();
  }

  startManager(): void {
    const name = `manager-${this.#nextProcess++}`;
    const random = this.randomOf(name);
    const machine = new Machine(this.clock, random);
    const log = processLog(this.trace, name, (error, message) => {
      this.violate(
        `${name} made a mistake: ${message}: ${error instanceof Error ? error.stack : String(error)}`,
      );
    });
    const process: ManagerProcess = new ManagerProcess({
      name,
      descriptors: this.#options.descriptors,
      timing: this.#options.timing,
      watched: this.watched,
      machine,
      random,
      log,
      strict: ({ message }) => this.#violateOnce(message),
      wire: new Wire({
        server: this.#measured,
        clock: this.clock,
        machine,
        random: this.randomOf(`${name} wire`),
        weather: this.weather,
        onArriving: (client) => (this.#actor = { name, process, client }),
        onArrived: (arrival) => this.#recordWrite(arrival, name, process),
        onGivenUp: (arrival) => this.onManagerGaveUp(arrival),
        onSeen: (resource, version) => this.history.seen(name, resource, version),
        onShown: (answer) => this.history.shown(name, answer),
        staleVersion: () => this.history.versionBefore(this.weather.staleListMs),
      }),
    });
    this.processes.push(process);
    this.#everStarted.push(process);
    this.trace?.add(name, "starts");
    process.start((how, error) => {
      this.trace?.add(name, `ends: ${how}`, error instanceof Error ? error.message : "");
      if (how === "failed") this.violate(`${name} failed: ${error instanceof Error ? error.stack : "?"}`);
      this.#replace(process);
    });
  }

  kill(process: ManagerProcess, reason: string): void {
    this.trace?.add(process.name, "dies", reason);
    process.kill();
    this.#replace(process);
  }

  async pass(durationMs: number): Promise<void> {
    await this.clock.advanceBy(durationMs, () => this.isEnough);
  }

  get isEnough(): boolean {
    return this.#options.untilViolation && this.violations.length > 0;
  }

  /** Nothing that a user was waiting for is done any more. */
  get usersAreDone(): boolean {
    return this.#usersAreDone;
  }

  get leader(): ManagerProcess | undefined {
    return this.processes.find((process) => process.isLeading);
  }

  /** Faults are over: what was paused goes on, and answers come. */
  clearUp(): void {
    clearUp(this.weather);
    this.atWrite = undefined;
    this.listeners.clear();
    this.#usersAreDone = true;
    for (const { machine } of this.processes) machine.resume();
    this.trace?.add("world", "faults are over");
  }

  /** Those that only stand by end, and nobody takes their place: nothing is to be learned from them any more. */
  retireStandbys(): void {
    this.#isOver = true;
    for (const process of this.processes.filter(({ isLeading }) => !isLeading)) {
      process.kill();
      this.processes.splice(this.processes.indexOf(process), 1);
    }
  }

  #driver(): { readonly driver?: ControllerDescriptor } {
    const { disks, weather } = this;
    if (disks === undefined) return {};
    return { driver: volumeDriver({ disks, weather, random: this.randomOf("driver") }) };
  }

  #replace(process: ManagerProcess): void {
    this.processes.splice(this.processes.indexOf(process), 1);
    if (this.#isOver) return;
    this.clock.setTimer(RESTART_MS, () => {
      if (!this.#isOver) this.startManager();
    });
  }

  #recordWrite(arrival: Arrival, name: string, process?: ManagerProcess): void {
    const { facts, client, status, ambiguous } = arrival;
    if (facts.resource !== "leases") {
      const outcome = `${describeRequest(facts)} → ${status}${ambiguous ? ", unknown to its sender" : ""}`;
      this.trace?.add(name, outcome, client);
    }
    if (process !== undefined && status < 300) {
      this.onManagerWrite(arrival, process);
      for (const listener of this.listeners) if (listener(arrival)) this.listeners.delete(listener);
    } else if (process !== undefined) this.onManagerRefused(arrival, process);
    this.#actor = nobody;
    if (process?.isLeading !== true || facts.resource === "leases" || this.atWrite === undefined) return;
    const { left, end } = this.atWrite;
    this.atWrite = left > 0 ? { left: left - 1, end } : undefined;
    if (left > 0) return;
    if (end === "kill") this.kill(process, "in the middle of its writes");
    else process.stop();
  }

  #reliableClients(name: string, isAway = (): boolean => false): ClientBuilder {
    const hooks = {
      isAway,
      onArriving: (client: string) => (this.#actor = { name, process: undefined, client }),
      onArrived: (arrival: Arrival) => this.#recordWrite(arrival, name),
    };
    return clientBuilder({
      transports: {
        forClient: (client) => reliableTransport(this.#direct, this.clock, client, hooks),
        userAgentSuffix: (client) => client,
        close: async () => undefined,
      },
      clock: this.clock,
      log: silentLogger,
      metrics: noMetrics,
      host: "simulated",
      userAgent: name,
      qps: -1,
      burst: 1,
    });
  }
}
