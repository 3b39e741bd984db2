import { featureGates } from "../api/feature-gates.ts";
import type { Strict } from "../cache/informer/informer-factory.ts";
import type { ClientBuilder } from "../client/client-builder.ts";
import type { Random } from "../clock/random.ts";
import { ControllerSet } from "../controller/controller-set.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import type { WriteGate } from "../leader/fence.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { RecordedTransport, type Write } from "./recorded-transport.ts";
import { ProcessTransport } from "./process-transport.ts";
import type { Bed } from "./bed.ts";
import type { Weather } from "./troubles.ts";

/** A function gives another one for each process: what it remembers dies with it. */
export type UnderTest = ControllerDescriptor | (() => ControllerDescriptor);

export interface ProcessOptions {
  readonly bed: Bed;
  readonly controllers: readonly UnderTest[];
  readonly random: Random;
  readonly weather: Weather;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly onWrite: (write: Write) => void;
}

/** A process with controllers, which can end in order or be killed. */
export class TestProcess {
  readonly set: ControllerSet;
  readonly #bed: Bed;
  readonly #stop = new AbortController();
  readonly #leading = new AbortController();
  readonly #transports: ProcessTransport[] = [];
  readonly #clients: ClientBuilder;
  readonly #undeclared = new Set<string>();
  readonly #ended: Promise<void>;

  constructor({ bed, controllers, random, weather, log, metrics, onWrite }: ProcessOptions) {
    const { clock } = bed;
    this.#bed = bed;
    this.#clients = bed.clients("controllers-under-test", (server) => {
      const recorded = new RecordedTransport(server, onWrite);
      const transport = new ProcessTransport({ server: recorded, clock, random, weather });
      this.#transports.push(transport);
      return transport;
    });
    const note: Strict = ({ message }) => void this.#undeclared.add(message);
    this.set = new ControllerSet({
      descriptors: controllers.map((each) => (typeof each === "function" ? each() : each)),
      clients: this.#clients,
      gate: this.#gate(),
      clock,
      random,
      log,
      metrics,
      features: featureGates(),
      name: "test",
      strict: note,
    });
    this.#ended = this.set.run(this.#stop.signal);
    // Whoever stops the process is told of a failure.
    this.#ended.catch(() => undefined);
  }

  cutWatches(): void {
    for (const transport of this.#transports) transport.cutWatches();
  }

  /** Nothing that it has begun is ended. */
  kill(): void {
    for (const transport of this.#transports) transport.die();
    this.#stop.abort(new Error("the process is killed"));
  }

  /** Another process leads: it writes nothing more, and ends. What it has sent arrives all the same. */
  depose(): void {
    this.#leading.abort(new Error("another process leads"));
    this.#stop.abort(new Error("another process leads"));
  }

  #gate(): WriteGate {
    const { signal } = this.#leading;
    return { canWrite: () => !signal.aborted, signal };
  }

  /** Ends it in order. Throws when a controller has failed, or has read what it has not declared. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.#bed.finished(this.#ended);
    await this.#clients.close();
    if (this.#undeclared.size > 0) throw new Error([...this.#undeclared].join("; "));
    const failed = this.set.informerHealth().filter(({ handlerFailures }) => handlerFailures > 0);
    if (failed.length > 0) throw new Error(`handlers of ${failed.map(({ name }) => name).join(", ")} failed`);
  }
}
