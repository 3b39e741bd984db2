import { type AppOutcome, runWith } from "../../cmd/kube-controller-manager/app.ts";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { HealthChecks } from "../../pkg/manager/health/health.ts";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { resources } from "../../pkg/api/resources.ts";
import {
  type ClientBuilder,
  clientBuilder,
  type ClientOptions,
  sharedTransports,
} from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { type Transport, TransportError } from "../../pkg/client/transport.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { allKinds } from "../../pkg/apiserver/kinds/all-kinds.ts";
import type { ApiServer } from "../../pkg/apiserver/server/api-server.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { Verbosity } from "../../pkg/log/verbosity.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import type { ControllerDescriptor, Env } from "../../pkg/controller/env.ts";
import type { WorkerLiveness } from "../../pkg/controller/worker.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";

export interface ControlledRunOptions {
  /** The probe does not end when it is told to, until `letGo`. */
  readonly deaf?: boolean;
  /** Shared with another run. */
  readonly server?: ApiServer;
  readonly clock?: VirtualClock;
}

const WRITE_PERIOD_MS = 1_000;

/** The program as the flags have it, in virtual time, with one controller: a probe that writes every second. */
export class ControlledRun {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  readonly admin: ClientSet;
  readonly health = new HealthChecks(() => undefined, silentLogger);
  /** Names and options of all clients that were made. */
  readonly made: (readonly [name: string, options: ClientOptions | undefined])[] = [];
  /** Writes that the probe tried and could not do. */
  refused = 0;
  readonly #deaf: boolean;
  readonly #stop = new AbortController();
  readonly #release = new AbortController();
  readonly #broken = new Set<string>();
  #writes: string[] = [];
  #resyncs = 0;
  #syncMs = 0;
  #env: Env | undefined;
  #outcome: AppOutcome | undefined;
  readonly #ended: Promise<void>;

  constructor(flags: readonly string[], { deaf = false, server, clock }: ControlledRunOptions) {
    this.clock = clock ?? new VirtualClock();
    this.server = server ?? embeddedServer({ clock: this.clock, random: seededRandom(1), kinds: allKinds });
    this.admin = this.#builder([]).client("admin");
    this.#deaf = deaf;
    const { options, leaderMigration } = resolveOptions([...flags, "--secure-port=0"], () => "");
    const root = this.#builder(this.made);
    this.#ended = runWith(
      {
        options,
        leaderMigration,
        environment: {},
        clock: this.clock,
        random: seededRandom(2),
        log: silentLogger,
        verbosity: new Verbosity(),
        metrics: createMetrics({ version: "1.36.4" }),
        processStartMs: this.clock.nowMs(),
        memory: { releaseLater: () => undefined },
        gates: featureGates(options.generic.featureGates),
        controllers: [this.#probe()],
        clients: {
          access: { server: new URL("http://embedded"), identity: {} },
          root,
          ofControllers: () => this.#builder(this.made),
        },
        health: this.health,
        sets: new Set(),
      },
      this.#stop.signal,
    ).then((outcome) => {
      this.#outcome = outcome;
    });
  }

  async pass(durationMs: number): Promise<void> {
    await this.clock.advanceBy(durationMs);
  }

  outcome(): AppOutcome | undefined {
    return this.#outcome;
  }

  env(): Env {
    if (this.#env === undefined) throw new Error("the probe was not built");
    return this.#env;
  }

  resyncs(): number {
    return this.#resyncs;
  }

  /** What has reached the server from a client, as "POST /path". */
  writesOf(client: string): readonly string[] {
    return this.#writes.filter((line) => line.startsWith(`${client} `));
  }

  forget(): void {
    this.#writes = [];
  }

  /** From now on nothing of this client gets through. */
  breakOff(client: string): void {
    this.#broken.add(client);
  }

  /** Somebody else holds the Lease all of a sudden. */
  async loseLease(ref: { readonly namespace: string; readonly name: string }): Promise<void> {
    const leases = this.admin.clientFor(resources.leases);
    const lease = await leases.get(ref);
    await leases.update({ ...lease, spec: { ...lease.spec, holderIdentity: "somebody else" } });
  }

  /** The probe says that it has been at one key for so long. */
  syncFor(durationMs: number): void {
    this.#syncMs = durationMs;
  }

  tellToStop(): void {
    this.#stop.abort(new Error("the test is over"));
  }

  letGo(): void {
    this.#release.abort();
  }

  /** Ends it in order, and says how it has ended. */
  async stop(): Promise<AppOutcome | undefined> {
    this.tellToStop();
    this.letGo();
    await this.clock.runUntil(() => this.#outcome !== undefined, 120_000);
    await this.#ended;
    return this.#outcome;
  }

  #builder(made: ControlledRun["made"]): ClientBuilder {
    const common = {
      clock: this.clock,
      log: silentLogger,
      metrics: noMetrics,
      host: "embedded",
      userAgent: "test",
      qps: -1,
      burst: 1,
    };
    return {
      client: (name, options) => {
        made.push([name, options]);
        return clientBuilder({ ...common, transports: sharedTransports(this.#transport(name)) }).client(
          name,
          options,
        );
      },
      close: async () => undefined,
    };
  }

  #transport(client: string): Transport {
    const direct = new DirectTransport(this.server);
    return {
      send: async (request, signal) => {
        if (this.#broken.has(client)) throw new TransportError("refused", "nobody listens", false);
        const answer = await direct.send(request, signal);
        if (request.method !== "GET") this.#writes.push(`${client} ${request.method} ${request.path}`);
        return answer;
      },
      close: async () => direct.close(),
    };
  }

  #probe(): ControllerDescriptor {
    return {
      name: "probe",
      clientName: "probe",
      build: (env) => {
        this.#env = env;
        const informer = env.informers.informer(resources.configMaps);
        informer.addHandler({ onUpdate: (before, after) => void (before === after && this.#resyncs++) });
        return {
          run: async (signal) => this.#writeForEver(env, this.#deaf ? this.#release.signal : signal),
          health: () => ({ pools: { probe: this.#liveness() } }),
        };
      },
    };
  }

  #liveness(): WorkerLiveness {
    const forMs = this.#syncMs;
    const longestRunning = { key: "default/one", forMs };
    return { workersAlive: 1, running: 1, waiting: 0, syncs: 1, longestRunning, sinceProgressMs: forMs };
  }

  async #writeForEver(env: Env, signal: AbortSignal): Promise<void> {
    const configMaps = env.client.clientFor(resources.configMaps);
    const metadata = { namespace: "default", generateName: "probe-" };
    while (!signal.aborted) {
      await configMaps.create({ metadata }).catch(() => this.refused++);
      await sleep(env.clock, WRITE_PERIOD_MS, signal).catch(() => undefined);
    }
  }
}

/** Started, with the namespaces that it needs. */
export async function controlledRun(
  flags: readonly string[],
  options: ControlledRunOptions = {},
): Promise<ControlledRun> {
  const run = new ControlledRun(flags, options);
  if (options.server !== undefined) return run;
  const namespaces = run.admin.clientFor(resources.namespaces);
  for (const name of ["default", "kube-system", "leases"]) await namespaces.create({ metadata: { name } });
  return run;
}

/** The Lease that the flags name. */
export function leaseKey(flags: readonly string[]): { readonly namespace: string; readonly name: string } {
  const { resourceNamespace: namespace, resourceName: name } = resolveOptions(flags, () => "").options
    .generic;
  return { namespace, name };
}
