import type { ApiObject, ObjectRef, Stored } from "../api/object.ts";
import { groupResource, type TypedResource } from "../api/resource.ts";
import { resources } from "../api/resources.ts";
import type { CustomResourceDefinition } from "../api/types/apiextensions-v1.gen.ts";
import type { Access } from "../client/config/identity-source.ts";
import type { ClientSet } from "../client/client-set.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../client/errors.ts";
import { type Random, seededRandom } from "../clock/random.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { type Bed, embeddedBed, serverBed } from "./bed.ts";
import { RecordedTransport, type Write } from "./recorded-transport.ts";
import { TestProcess, type UnderTest } from "./test-process.ts";
import { fairWeather, stirUp, type Trouble, troublesOf } from "./troubles.ts";

export interface TestClusterOptions {
  /** Chance: the same seed and steps give the same history. 1 when left out. */
  readonly seed?: number;
  /** Controllers to start with. */
  readonly controllers?: readonly UnderTest[];
  /** The controllers of the cluster itself: Deployments get their pods, what is owned goes with its owner. */
  readonly builtIn?: readonly ControllerDescriptor[];
  /** Nodes on which pods run, without machines; 0: none, and nobody schedules pods. */
  readonly nodes?: number;
  /** Are served before anything starts. */
  readonly definitions?: readonly Definition[];
  /** A real cluster in place of one in this process. Its controllers and nodes are its own. */
  readonly access?: Access;
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

/** A definition, or a custom resource that gives its own. */
export type Definition = CustomResourceDefinition | { manifest(): CustomResourceDefinition };

const POLL_MS = 100;
const LONGEST_MS = 600_000;
/** Caches that were refused time and again ask at the latest after so long. */
const RECOVERY_MS = 60_000;

/** What an invariant says to a write: why it should not have been. */
type Judge = (write: Write) => string | undefined;

/** A cluster for tests of controllers. */
export class TestCluster {
  readonly seed: number;
  readonly random: Random;
  /** Past all troubles; its writes are those of "test". */
  readonly client: ClientSet;
  readonly #bed: Bed;
  readonly #options: TestClusterOptions;
  readonly #weather = fairWeather();
  readonly #processes = new Map<TestProcess, readonly UnderTest[]>();
  readonly #judges: Judge[] = [];
  readonly #violations: string[] = [];
  #writes: Write[] = [];
  #lastWriteMs = 0;
  #calm: (() => Promise<void>) | undefined;
  /** Processes that were killed and are to be started again. */
  #restarting = 0;
  #isOver = false;

  constructor(bed: Bed, options: TestClusterOptions) {
    this.seed = options.seed ?? 1;
    this.random = seededRandom(this.seed);
    this.#bed = bed;
    this.#options = options;
    const note = (write: Write): void => this.#note(write);
    this.client = bed.clients("test", (server) => new RecordedTransport(server, note)).client("test");
  }

  get nowMs(): number {
    return this.#bed.clock.nowMs();
  }

  /** Starts a process with these controllers. */
  async start(...controllers: readonly UnderTest[]): Promise<TestProcess> {
    const process = this.#launch(controllers);
    await this.pass(POLL_MS);
    return process;
  }

  /** Lets time pass. */
  async pass(durationMs: number): Promise<void> {
    await this.#bed.pass(durationMs);
    this.#check();
  }

  /** Lets time pass until it holds; gives what was seen then. */
  async until<T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean = Boolean): Promise<T> {
    const { clock } = this.#bed;
    const endMs = clock.monotonicMs() + LONGEST_MS;
    for (;;) {
      const seen = await look();
      if (holds(seen)) return seen;
      if (clock.monotonicMs() >= endMs)
        throw new Error(`not within ${LONGEST_MS} ms: ${what}; last seen: ${JSON.stringify(seen)}`);
      await this.pass(POLL_MS);
    }
  }

  /** Lets time pass until the controllers under test write nothing any more. */
  async settle(): Promise<void> {
    const { clock, quietMs } = this.#bed;
    const endMs = clock.monotonicMs() + LONGEST_MS;
    this.#lastWriteMs = clock.monotonicMs();
    while (clock.monotonicMs() - this.#lastWriteMs < quietMs) {
      if (clock.monotonicMs() >= endMs) throw new Error("the controllers do not come to rest");
      await this.pass(POLL_MS);
    }
  }

  /** From now on one trouble follows upon the other between the controllers and the server, until `calm`. */
  stirUp(kinds: readonly Trouble[] = troublesOf(this.random)): void {
    const stop = new AbortController();
    const hands = {
      cutWatches: () => {
        for (const process of this.#processes.keys()) process.cutWatches();
      },
      restart: (afterMs: number) => this.#restart(afterMs),
      handOver: () => this.#handOver(),
    };
    const { clock } = this.#bed;
    const ended = stirUp({ clock, random: this.random, weather: this.#weather, hands, kinds }, stop.signal);
    this.#calm = async () => {
      stop.abort(new Error("the weather is fair"));
      await this.#bed.finished(ended);
    };
  }

  /** Nothing goes wrong any more, and the controllers come to rest. */
  async calm(): Promise<void> {
    if (this.#calm !== undefined) {
      await this.#calm();
      this.#calm = undefined;
      await this.pass(RECOVERY_MS);
    }
    while (this.#restarting > 0) await this.pass(POLL_MS);
    await this.settle();
  }

  /** Fails the test as soon as the judge gives a reason why a write should not have been. */
  always(judge: Judge): void {
    this.#judges.push(judge);
  }

  /** What the controllers under test have written since the last call, such as "patch deployments blog". */
  takeWrites(): readonly Write[] {
    const taken = this.#writes;
    this.#writes = [];
    return taken;
  }

  async create<T extends ApiObject>(resource: TypedResource<T>, object: T): Promise<Stored<T>> {
    const isHomeless = resource.namespaced && object.metadata.namespace === undefined;
    const metadata = isHomeless ? { ...object.metadata, namespace: "default" } : object.metadata;
    return this.#bed.finished(this.client.clientFor(resource).create({ ...object, metadata }));
  }

  /** Undefined when there is none. */
  async find<T extends ApiObject>(
    resource: TypedResource<T>,
    name: string | ObjectRef,
  ): Promise<Stored<T> | undefined> {
    const ref =
      typeof name !== "string" ? name : resource.namespaced ? { namespace: "default", name } : { name };
    try {
      return await this.#bed.finished(this.client.clientFor(resource).get(ref));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async get<T extends ApiObject>(resource: TypedResource<T>, name: string | ObjectRef): Promise<Stored<T>> {
    const found = await this.find(resource, name);
    if (found === undefined)
      throw new Error(`${groupResource(resource)} ${JSON.stringify(name)} is not there`);
    return found;
  }

  async list<T extends ApiObject>(resource: TypedResource<T>): Promise<readonly Stored<T>[]> {
    return (await this.#bed.finished(this.client.clientFor(resource).list())).items;
  }

  /** Reads, changes and writes, until nobody comes in between. */
  async update<T extends ApiObject>(
    resource: TypedResource<T>,
    name: string | ObjectRef,
    change: (object: Stored<T>) => T,
  ): Promise<Stored<T>> {
    for (;;) {
      const changed = change(await this.get(resource, name));
      try {
        return await this.#bed.finished(this.client.clientFor(resource).update(changed));
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  async delete<T extends ApiObject>(resource: TypedResource<T>, name: string | ObjectRef): Promise<void> {
    const { metadata } = await this.get(resource, name);
    const { namespace } = metadata;
    const ref = { name: metadata.name, ...(namespace !== undefined && { namespace }) };
    await this.#bed.finished(this.client.clientFor(resource).delete(ref));
  }

  /** Defines kinds, and waits until they are served. */
  async define(definitions: readonly Definition[]): Promise<void> {
    const client = this.client.clientFor(resources.customResourceDefinitions);
    for (const each of definitions) {
      const definition = "manifest" in each ? each.manifest() : each;
      try {
        await this.#bed.finished(client.create(definition));
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
      const name = definition.metadata.name ?? "";
      await this.until(`${name} is served`, async () => {
        const { status } = await this.get(resources.customResourceDefinitions, name);
        return status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
      });
    }
  }

  /** Ends everything. Throws when a controller has failed. */
  async stop(): Promise<void> {
    await this.#calm?.();
    this.#isOver = true;
    const processes = [...this.#processes.keys()];
    this.#processes.clear();
    try {
      for (const process of processes) await process.stop();
    } finally {
      await this.#bed.close();
    }
    this.#check();
  }

  #launch(controllers: readonly UnderTest[]): TestProcess {
    const process = new TestProcess({
      bed: this.#bed,
      controllers,
      random: this.random,
      weather: this.#weather,
      log: this.#options.log ?? silentLogger,
      metrics: this.#options.metrics ?? noMetrics,
      onWrite: (write) => this.#note(write),
    });
    this.#processes.set(process, controllers);
    return process;
  }

  #restart(afterMs: number): void {
    for (const [process, controllers] of this.#processes) {
      this.#processes.delete(process);
      process.kill();
      this.#restarting++;
      this.#bed.clock.setTimer(afterMs, () => {
        this.#restarting--;
        if (!this.#isOver) this.#launch(controllers);
      });
    }
  }

  #handOver(): void {
    // Those that are launched meanwhile stay.
    const former = [...this.#processes];
    for (const [process, controllers] of former) {
      this.#processes.delete(process);
      process.depose();
      this.#launch(controllers);
    }
  }

  #note(write: Write): void {
    if (write.actor === "test") return;
    this.#lastWriteMs = this.#bed.clock.monotonicMs();
    this.#writes.push(write);
    for (const judge of this.#judges) {
      const violation = judge(write);
      if (violation !== undefined) this.#violations.push(violation);
    }
  }

  #check(): void {
    const [violation] = this.#violations.splice(0);
    if (violation !== undefined) throw new Error(violation);
  }
}

/** A cluster in this process on a virtual clock; or, with `access`, a real one. Whoever starts it stops it. */
export async function testCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { seed = 1, builtIn = [], nodes = 0, log = silentLogger, access } = options;
  const bed = access === undefined ? await embeddedBed({ seed, builtIn, nodes, log }) : serverBed(access);
  const cluster = new TestCluster(bed, options);
  await cluster.define(options.definitions ?? []);
  if (options.controllers !== undefined) await cluster.start(...options.controllers);
  return cluster;
}
