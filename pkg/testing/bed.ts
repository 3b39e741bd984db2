import type { Access } from "../client/config/identity-source.ts";
import { type ClientBuilder, clientBuilder, sharedTransports } from "../client/client-builder.ts";
import { httpClients } from "../client/http-clients.ts";
import type { Transport } from "../client/transport.ts";
import type { Clock } from "../clock/clock.ts";
import { seededRandom } from "../clock/random.ts";
import { realClock } from "../clock/real.ts";
import { sleep } from "../clock/wait.ts";
import { EmbeddedCluster } from "../cluster/cluster.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { DirectTransport } from "../apiserver/direct-transport.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** Puts what a test wants to see or to break around the way to the server. */
export type Wrap = (transport: Transport) => Transport;

/** What controllers under test stand on: a server, and the time that passes there. */
export interface Bed {
  readonly clock: Clock;
  /** How long nothing is to be written before all counts as done. */
  readonly quietMs: number;
  /** Clients that the server knows under the name. */
  clients(user: string, wrap: Wrap): ClientBuilder;
  pass(durationMs: number): Promise<void>;
  /** Lets time pass until the work is done. */
  finished<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface EmbeddedBedOptions {
  readonly seed: number;
  /** The controllers of the cluster itself. */
  readonly builtIn: readonly ControllerDescriptor[];
  readonly nodes: number;
  readonly log: Logger;
}

const UNLIMITED = 1_000_000;
const LONGEST_WAIT_MS = 600_000;

/** A cluster in this process, on a clock that stands still but for when time is let pass. */
export async function embeddedBed({ seed, builtIn, nodes, log }: EmbeddedBedOptions): Promise<Bed> {
  const clock = new VirtualClock();
  const finished = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const watched = work.finally(() => (isDone = true));
    // Whoever is given the promise is told of a failure.
    watched.catch(() => undefined);
    await clock.runUntil(() => isDone, LONGEST_WAIT_MS);
    return watched;
  };
  const random = seededRandom(seed);
  const cluster = await finished(
    EmbeddedCluster.start({ clock, random, controllers: builtIn, nodes, insecure: true, log }),
  );
  return {
    clock,
    quietMs: 15_000,
    finished,
    clients: (user, wrap) => {
      const server = new DirectTransport(cluster.server, { username: user, groups: ["system:masters"] });
      return clientBuilder({
        transports: sharedTransports(wrap(server)),
        clock,
        log: silentLogger,
        metrics: noMetrics,
        host: "embedded",
        userAgent: "test",
        qps: UNLIMITED,
        burst: UNLIMITED,
      });
    },
    pass: async (durationMs) => clock.advanceBy(durationMs),
    close: async () => finished(cluster.stop()),
  };
}

/** A cluster that is there already, in its own time. */
export function serverBed(access: Access): Bed {
  const builders: ClientBuilder[] = [];
  return {
    clock: realClock,
    quietMs: 3_000,
    finished: async (work) => work,
    clients: (_, wrap) => {
      const builder = httpClients({
        access,
        env: {},
        clock: realClock,
        log: silentLogger,
        metrics: noMetrics,
        userAgent: "test",
        qps: UNLIMITED,
        burst: UNLIMITED,
        wrap,
      });
      builders.push(builder);
      return builder;
    },
    pass: async (durationMs) => sleep(realClock, durationMs),
    close: async () => {
      await Promise.all(builders.map(async (builder) => builder.close()));
    },
  };
}
