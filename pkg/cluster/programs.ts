import { featureGates, type FeatureGates } from "../api/feature-gates.ts";
import { gitVersionOf, NEWEST_MINOR } from "../apiserver/discovery/release.ts";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import type { ControllerDescriptor, ControllerHealth } from "../controller/env.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { type ClusterServer, SERVICE_CIDR } from "./cluster-server.ts";
import { type CandidateOptions, Manager, type ManagerOptions } from "./manager.ts";
import { metricsRegistration } from "./metrics/registration.ts";
import { plant } from "./plant.ts";
import { serviceAddresses } from "./services/service-addresses.ts";

export interface ProgramsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  readonly features?: FeatureGates;
  readonly controllers?: readonly ControllerDescriptor[];
  /** The controllers work while they hold the Lease of kube-controller-manager; left out: always. */
  readonly candidate?: CandidateOptions;
  /** How many hollow nodes; 0 or absent: none, and no scheduler. */
  readonly nodes?: number;
  readonly kubernetesMinor?: number;
}

type Program = Pick<ManagerOptions, "name" | "descriptors" | "candidate">;

interface Running {
  readonly manager: Manager;
  readonly ended: Promise<void>;
}

/** All of the control plane that is not the API server, at work: controllers, a scheduler and hollow nodes. */
export class ClusterPrograms {
  /** Resolves after `stop`; rejects when a controller fails, which ends the others. */
  readonly ended: Promise<void>;
  readonly #running: readonly Running[];
  readonly #stop = new AbortController();

  constructor(base: ClusterServer, options: ProgramsOptions) {
    const { controllers = [], candidate } = options;
    const programs: readonly Program[] = [
      { name: "kube-controller-manager", descriptors: controllers, candidate },
      { name: "hollow-nodes", descriptors: plantOf(options) },
    ];
    this.#running = programs.map((program) => this.#run(program, base, options));
    this.ended = Promise.all(this.#running.map(async ({ ended }) => ended)).then(() => undefined);
    // Not everybody waits for the end; a failure is in the log.
    this.ended.catch(() => undefined);
  }

  /** Of every controller, the scheduler and the nodes included, by name. */
  health(): ReadonlyMap<string, ControllerHealth | undefined> {
    return new Map(this.#running.flatMap(({ manager }) => [...manager.health()]));
  }

  /** Resolves when all work has ended, well or not. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the cluster ends"));
    await Promise.allSettled(this.#running.map(async ({ ended }) => ended));
  }

  #run(program: Program, { clients }: ClusterServer, options: ProgramsOptions): Running {
    const { name } = program;
    const manager = new Manager({
      ...program,
      clients,
      informerClient: clients.client(name),
      clock: options.clock,
      random: options.random,
      log: options.log ?? silentLogger,
      metrics: options.metrics ?? noMetrics,
      features: options.features ?? featureGates(),
    });
    const ended = manager.run(this.#stop.signal);
    ended.catch((error: unknown) => {
      options.log?.error(error, "A controller failed, which ends all others", { program: name });
      this.#stop.abort(error);
    });
    return { manager, ended };
  }
}

/** A bare API server, without controllers and nodes, is left alone. */
function plantOf(options: ProgramsOptions): readonly ControllerDescriptor[] {
  const { controllers = [], nodes = 0, kubernetesMinor = NEWEST_MINOR } = options;
  if (controllers.length === 0 && nodes === 0) return [];
  const kubeletVersion = gitVersionOf(kubernetesMinor);
  const metrics = nodes === 0 ? [] : [metricsRegistration()];
  const settings = { nodes, kubeletVersion, others: controllers, tellsEvents: true };
  return [...plant(settings), ...metrics, serviceAddresses({ cidrs: SERVICE_CIDR.split(",") })];
}
