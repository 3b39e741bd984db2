import { featureGates } from "../api/feature-gates.ts";
import type { ClientBuilder } from "../client/client-builder.ts";
import { connect } from "../client/connect.ts";
import { unlimited } from "../client/limiter.ts";
import { ControllerSet } from "../controller/controller-set.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { installCrds } from "../crd/install-crds.ts";
import { LeaseLostError } from "../leader/elector.ts";
import { openGate, type WriteGate } from "../leader/fence.ts";
import { type LeaseElection, leaseElection } from "../leader/lease-election.ts";
import { healthcheckMetrics } from "../metrics/standard.ts";
import type { WebhookServer } from "../webhook/webhook-server.ts";
import { controllerCheck } from "./health/controller-health.ts";
import { HealthChecks } from "./health/health.ts";
import { leaseCheck } from "./health/lease-health.ts";
import { type Host, processHost } from "./host.ts";
import { conversionsAt, webhookServer } from "./managed-webhooks.ts";
import { type ManagerOptions, type Ports, type Task, USUAL_TIMING } from "./options.ts";
import { debugPages, healthPages, metricsPages } from "./pages.ts";
import { runSet } from "./run-set.ts";
import { type ServedPages, servedPages } from "./served-pages.ts";
import { SpareMemory } from "./spare-memory.ts";
import { StartError } from "./start-error.ts";

const USUAL_QPS = 20;
const USUAL_BURST = 30;
const SHUTDOWN_MS = 30_000;
const MAX_SYNC_MS = 5 * 60_000;

/** A program of controllers. */
export interface Manager {
  /**
   * Works until the signal aborts or the process is asked to end, and resolves when all of its work has ended. Rejects
   * when it cannot do its work: a port that is taken, a controller that fails, a Lease that is lost.
   */
  run(signal?: AbortSignal): Promise<void>;
  /** One more, which runs with the others if they do. */
  add(controller: ControllerDescriptor): void;
  /** Ends one; resolves when its work has ended. */
  remove(name: string): Promise<void>;
  /** Where it is served how it does, and where its webhooks are, once they are. */
  readonly ports: Ports;
}

export function manager(options: ManagerOptions): Manager {
  return new RunningManager(options);
}

function isTask(each: ControllerDescriptor | Task): each is Task {
  return "run" in each;
}

class RunningManager implements Manager {
  readonly #options: ManagerOptions;
  readonly #host: Host;
  readonly #health: HealthChecks;
  readonly #controllers: Map<string, ControllerDescriptor>;
  readonly #everywhere: readonly Task[];
  readonly #memory: SpareMemory | undefined;
  #set: ControllerSet | undefined;
  #pages: ServedPages | undefined;
  #webhooks: WebhookServer | undefined;

  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#host = options.host ?? processHost();
    const { clock, heap, log, metrics } = this.#host;
    this.#memory = heap && new SpareMemory(heap, clock, log);
    this.#health = new HealthChecks(healthcheckMetrics(metrics.slis), log);
    const tasks = options.run.filter(isTask);
    this.#everywhere = tasks.filter(({ everywhere }) => everywhere === true);
    const led = tasks.filter(({ everywhere }) => everywhere !== true).map(descriptorOf);
    const controllers = options.run.filter((each): each is ControllerDescriptor => !isTask(each));
    this.#controllers = new Map([...controllers, ...led].map((each) => [each.name, each]));
  }

  get ports(): Manager["ports"] {
    const webhooks = this.#webhooks?.port ?? 0;
    return { ...this.#pages?.ports, ...(webhooks > 0 && { webhooks }) };
  }

  add(controller: ControllerDescriptor): void {
    if (this.#controllers.has(controller.name)) throw new Error(`${controller.name} is there already`);
    this.#controllers.set(controller.name, controller);
    this.#set?.add(controller);
    if (this.#set !== undefined) this.#health.add(this.#checkOf(controller.name));
  }

  async remove(name: string): Promise<void> {
    this.#controllers.delete(name);
    this.#health.remove(name);
    await this.#set?.remove(name);
  }

  async run(signal?: AbortSignal): Promise<void> {
    const { asked } = this.#host;
    const stop = new AbortController();
    const ending = AbortSignal.any([asked, stop.signal, ...(signal === undefined ? [] : [signal])]);
    const clients = this.#options.clients ?? (await this.#connect());
    this.#memory?.releaseLater();
    try {
      this.#pages = await this.#serve(clients);
      await this.#install(clients, ending);
      const work = async (run: () => Promise<void>): Promise<void> => {
        try {
          await run();
        } finally {
          // Whatever ends first, the others end with it.
          stop.abort(new Error("the manager ends"));
        }
      };
      const runs = [
        async () => this.#lead(clients, ending),
        ...this.#everywhere.map((task) => async () => orAborted(task.run(ending), ending)),
        ...this.#answering(clients).map((server) => async () => answered(server, ending)),
      ];
      const ends = await Promise.allSettled(runs.map(work));
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    } finally {
      this.#memory?.stop();
      await this.#pages?.close();
      if (this.#options.clients === undefined) await clients.close();
      await this.#host.close();
    }
  }

  async #install(clients: ClientBuilder, signal: AbortSignal): Promise<void> {
    const { name: fieldManager, installCrds: crds = [] } = this.#options;
    const conversionWebhook = conversionsAt(this.#options);
    const options = { fieldManager, ...(conversionWebhook && { conversionWebhook }) };
    if (crds.length > 0) await installCrds(clients.client("crd-installer"), crds, options, signal);
  }

  /** The server of its webhooks, if it has any. */
  #answering(clients: ClientBuilder): readonly WebhookServer[] {
    const server = webhookServer(this.#options, this.#host, clients);
    if (server === undefined) return [];
    this.#webhooks = server;
    const check = (): string | undefined => server.lacks.join("; ") || undefined;
    this.#health.add({ name: "webhooks", concern: "caches", check });
    return [server];
  }

  /** Works while it leads, if it is to; from the start otherwise. */
  async #lead(clients: ClientBuilder, signal: AbortSignal): Promise<void> {
    const { leaderElection } = this.#options;
    if (leaderElection === undefined) return this.#work(this.#newSet(clients, openGate), signal);
    const election = this.#elect(clients);
    const { elector } = election;
    this.#health.add(leaseCheck("leaderElection", elector));
    let warm: ControllerSet | undefined;
    if (leaderElection.warm === true) {
      warm = this.#newSet(clients, elector.fence);
      warm.warmUp(signal);
    }
    const outcome = await elector.run(
      async (leading) => this.#work(warm ?? this.#newSet(clients, elector.fence), leading),
      signal,
    );
    // Who has lost its Lease ends within the second, and others know of it by then.
    if (outcome === "lost") throw new LeaseLostError(leaderElection.name ?? this.#options.name);
    await election.close();
  }

  async #work(set: ControllerSet, signal: AbortSignal): Promise<void> {
    const { shutdownMs = SHUTDOWN_MS, maxSyncMs = MAX_SYNC_MS } = this.#options;
    const { clock, log } = this.#host;
    this.#set = set;
    this.#memory?.releaseLater();
    const limits = { maxSyncMs, limitMs: shutdownMs };
    const clean = await runSet(set, { health: this.#health, clock, log, ...limits }, signal).finally(() => {
      this.#set = undefined;
    });
    if (!clean) throw new StartError(`controllers had not ended after ${shutdownMs} ms`);
  }

  #newSet(clients: ClientBuilder, gate: WriteGate): ControllerSet {
    const { clock, random, log, metrics } = this.#host;
    const { name, namespaces, syncHistory } = this.#options;
    const set = new ControllerSet({
      descriptors: [...this.#controllers.values()],
      clients,
      gate,
      clock,
      random,
      log,
      metrics: metrics.main,
      features: featureGates(),
      name,
      namespaces,
      ...(syncHistory !== undefined && { syncHistory }),
    });
    this.#set = set;
    return set;
  }

  #elect(clients: ClientBuilder): LeaseElection {
    const { name, leaderElection } = this.#options;
    const { clock, random, log, metrics, identity } = this.#host;
    const timing = leaderElection?.timing ?? USUAL_TIMING;
    return leaseElection({
      namespace: leaderElection?.namespace ?? "",
      name: leaderElection?.name ?? name,
      identity,
      component: name,
      timing,
      client: clients.client("leader-election", {
        ownConnection: true,
        limiter: unlimited,
        timeoutMs: timing.renewDeadlineMs / 2,
      }),
      clock,
      random,
      log,
      metrics: metrics.main,
    });
  }

  async #connect(): Promise<ClientBuilder> {
    const { name, access, qps = USUAL_QPS, burst = USUAL_BURST } = this.#options;
    const { clock, log, metrics, environment: env } = this.#host;
    const parts = { clock, log, metrics: metrics.main, env };
    const { builder } = await connect({ ...parts, ...(access && { access }), userAgent: name, qps, burst });
    return builder;
  }

  async #serve(clients: ClientBuilder): Promise<ServedPages> {
    const { name, port = {}, secureMetrics } = this.#options;
    return servedPages({
      name,
      port,
      secure: secureMetrics,
      health: [healthPages(this.#health)],
      metrics: [
        metricsPages(this.#host.metrics),
        debugPages((controller, path, query) => this.#set?.debug(controller, path, query)),
      ],
      host: this.#host,
      clients,
    });
  }

  #checkOf(name: string): ReturnType<typeof controllerCheck> {
    const { maxSyncMs = MAX_SYNC_MS } = this.#options;
    const health = () => this.#set?.health().get(name);
    return controllerCheck({ name, clock: this.#host.clock, maxSyncMs, health });
  }
}

/** Work beside the controllers that is done while this process leads is one of them. */
function descriptorOf(task: Task): ControllerDescriptor {
  return {
    name: task.name,
    clientName: task.name,
    build: () => ({ run: async (signal) => task.run(signal) }),
  };
}

async function answered(server: WebhookServer, signal: AbortSignal): Promise<void> {
  try {
    await server.run(signal);
  } catch (error) {
    throw new StartError("the webhooks cannot be served", error);
  }
}

async function orAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
  }
}
