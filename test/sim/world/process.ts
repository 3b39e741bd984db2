import { featureGates } from "../../../pkg/api/feature-gates.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { SharedInformer } from "../../../pkg/cache/informer/informer.ts";
import type { Strict } from "../../../pkg/cache/informer/informer-factory.ts";
import { clientBuilder, type ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { Random } from "../../../pkg/clock/random.ts";
import type { ElectionTiming } from "../../../pkg/leader/election-timing.ts";
import { LeaderElector } from "../../../pkg/leader/elector.ts";
import { LeaseLock } from "../../../pkg/leader/lease-lock.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import type { Machine } from "./machine.ts";
import type { Wire } from "./wire.ts";

export const LEASE = { namespace: "kube-system", name: "kube-controller-manager" } as const;

/** The resources whose caches the checks look into. */
export const WATCHED: readonly TypedResource<ApiObject>[] = [
  resources.pods,
  resources.replicaSets,
  resources.deployments,
  resources.replicationControllers,
  resources.jobs,
  resources.cronJobs,
  resources.namespaces,
  resources.serviceAccounts,
  resources.statefulSets,
  resources.daemonSets,
  resources.services,
  resources.endpoints,
  resources.endpointSlices,
  resources.podDisruptionBudgets,
  resources.controllerRevisions,
  resources.persistentVolumeClaims,
];

/** The same where there is a driver of volumes. */
export const WATCHED_OF_VOLUMES: readonly TypedResource<ApiObject>[] = [
  resources.persistentVolumes,
  resources.volumeAttachments,
  resources.storageClasses,
];

export interface ProcessOptions {
  readonly name: string;
  readonly timing: ElectionTiming;
  readonly watched: readonly TypedResource<ApiObject>[];
  readonly descriptors: () => readonly ControllerDescriptor[];
  readonly machine: Machine;
  readonly wire: Wire;
  readonly random: Random;
  readonly log: Logger;
  /** Told what its controllers read and have not declared. */
  readonly strict: Strict;
}

/** One controller manager: a candidate, then perhaps the leader, then gone. */
export class ManagerProcess {
  readonly name: string;
  readonly machine: Machine;
  readonly wire: Wire;
  readonly elector: LeaderElector;
  /** By plural name, once it leads. */
  readonly informers = new Map<string, SharedInformer>();
  readonly #options: ProcessOptions;
  readonly #stop = new AbortController();
  #ended: "stopped" | "lost" | "failed" | undefined;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.name = options.name;
    this.machine = options.machine;
    this.wire = options.wire;
    const { machine, random, log, name, timing } = options;
    const client = this.#clients().client("leader-election");
    this.elector = new LeaderElector({
      name: LEASE.name,
      lock: new LeaseLock({ ...LEASE, client: client.clientFor(resources.leases), identity: name }),
      timing,
      releaseOnStop: true,
      clock: machine,
      random,
      log,
      metrics: noMetrics,
    });
  }

  /** Why it is no more; undefined while it runs. */
  get ended(): "stopped" | "lost" | "failed" | undefined {
    return this.#ended;
  }

  get isLeading(): boolean {
    return !this.machine.isDead && this.#ended === undefined && this.elector.isLeader();
  }

  /** Calls back at its end, unless it is killed. */
  start(onEnd: (how: "stopped" | "lost" | "failed", error?: unknown) => void): void {
    const end = (how: "stopped" | "lost" | "failed", error?: unknown): void => {
      this.#ended = how;
      this.wire.close();
      onEnd(how, error);
    };
    this.elector
      .run(async (signal) => this.#lead(signal), this.#stop.signal)
      .then(
        (outcome) => end(outcome),
        (error: unknown) => end("failed", error),
      );
  }

  /** Asks it to end in good order. */
  stop(): void {
    this.#stop.abort(new Error("the process was told to stop"));
  }

  kill(): void {
    this.machine.die();
    this.wire.close();
  }

  async #lead(signal: AbortSignal): Promise<void> {
    const { machine, random, log, strict } = this.#options;
    const set = new ControllerSet({
      descriptors: [...this.#options.descriptors(), this.#cacheProbe()],
      clients: this.#clients(),
      gate: this.elector.fence,
      clock: machine,
      random,
      log,
      metrics: noMetrics,
      features: featureGates(),
      name: this.name,
      strict,
    });
    await set.run(signal);
  }

  #clients(): ClientBuilder {
    return clientBuilder({
      transports: {
        forClient: (client) => this.wire.transport(client),
        userAgentSuffix: (client) => client,
        close: async () => undefined,
      },
      clock: this.machine,
      log: this.#options.log,
      metrics: noMetrics,
      host: "simulated",
      userAgent: this.name,
      qps: -1,
      burst: 1,
    });
  }

  /** No controller: it lets the checks see what the caches hold. */
  #cacheProbe(): ControllerDescriptor {
    return {
      name: "cache-probe",
      clientName: "cache-probe",
      build: (env) => {
        for (const resource of this.#options.watched) {
          this.informers.set(
            resource.plural,
            env.informers.informer(resource, { fields: ["metadata.resourceVersion"] }),
          );
        }
        return { run: async (signal) => new Promise((resolve) => onAbort(signal, resolve)) };
      },
    };
  }
}

function onAbort(signal: AbortSignal, callback: () => void): void {
  if (signal.aborted) callback();
  else signal.addEventListener("abort", () => callback(), { once: true });
}
