import { featureGates } from "../../pkg/api/feature-gates.ts";
import { resources } from "../../pkg/api/resources.ts";
import { type ClientBuilder, clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { builtInAdmission } from "../../pkg/apiserver/admission/built-in-admission.ts";
import { allKinds } from "../../pkg/apiserver/kinds/all-kinds.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { Store } from "../../pkg/apiserver/storage/store.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { hasRealCluster, type RealCluster, startRealCluster } from "./real-cluster.ts";
import { RecordedTransport, type Write } from "../../pkg/testing/recorded-transport.ts";
import { TestSpace } from "./test-space.ts";
import { UndeclaredReads } from "./undeclared-reads.ts";

export interface ClusterKind {
  readonly name: "embedded" | "real";
  /** The flags are for kube-apiserver; what wraps the transport may answer in its place. */
  start(apiServerFlags?: readonly string[], wrap?: Wrap): Promise<ControllerCluster>;
}

type Wrap = (server: Transport) => Transport;
const bare: Wrap = (server) => server;

export interface RunOptions {
  readonly features?: Readonly<Record<string, boolean>>;
  readonly clock?: Clock;
}

/** The API servers that this machine can run controllers against: the same cases against each. */
export const clusterKinds: readonly ClusterKind[] = [
  { name: "embedded", start: startEmbeddedCluster },
  ...(hasRealCluster() ? [{ name: "real", start: startCluster } as const] : []),
];

/** An API server on the real clock, with controllers in this process and nothing else: no kubelet, no scheduler. */
export class ControllerCluster {
  readonly client: ClientSet;
  /** Of the admin; undefined where there is no network. */
  readonly kubeconfig: string | undefined;
  /** Kills the API server and starts it again; undefined where it is in this process. */
  readonly restartApiServer: (() => Promise<void>) | undefined;
  readonly #clients: ClientBuilder;
  readonly #writes: readonly Write[];
  readonly #onStop: () => Promise<void>;
  readonly #undeclared = new UndeclaredReads();
  readonly #running: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

  constructor(
    clients: ClientBuilder,
    writes: readonly Write[],
    onStop: () => Promise<void>,
    real?: Pick<RealCluster, "kubeconfig" | "restartApiServer">,
  ) {
    this.kubeconfig = real?.kubeconfig;
    this.restartApiServer = real && (async () => real.restartApiServer());
    this.#clients = clients;
    this.#writes = writes;
    this.#onStop = onStop;
    this.client = clients.client("test");
  }

  run(descriptors: readonly ControllerDescriptor[], options: RunOptions = {}): void {
    const set = new ControllerSet({
      descriptors,
      clients: this.#clients,
      gate: openGate,
      clock: options.clock ?? realClock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(options.features),
      name: "test",
      strict: this.#undeclared.note,
    });
    const stop = new AbortController();
    this.#running.push({ stop, ended: set.run(stop.signal) });
  }

  /** Ends all controllers that run. None may have read what it has not declared. */
  async stopControllers(): Promise<void> {
    const running = this.#running.splice(0);
    for (const { stop } of running) stop.abort(new Error("the test is over"));
    await Promise.all(running.map(async ({ ended }) => ended));
    this.#undeclared.check();
  }

  /** A namespace for one test. */
  async space(): Promise<TestSpace> {
    const made = await this.client
      .clientFor(resources.namespaces)
      .create({ metadata: { generateName: "test-" } });
    return new TestSpace(this.client, made.metadata.name ?? "");
  }

  /** The writes of controllers to a namespace so far, in order. */
  writesTo(space: TestSpace): readonly Write[] {
    return this.#writes.filter(({ actor, namespace }) => actor !== "test" && namespace === space.namespace);
  }

  async stop(): Promise<void> {
    try {
      await this.stopControllers();
    } finally {
      await this.#clients.close();
      await this.#onStop();
    }
  }
}

const CIDR_FLAG = "--service-cluster-ip-range=";

const RUNTIME_FLAG = "--runtime-config=";

/** Of the flags it knows those for addresses of services, without which they get none, and for versions of the API. */
async function startEmbeddedCluster(
  apiServerFlags: readonly string[] = [],
  wrap = bare,
): Promise<ControllerCluster> {
  const writes: Write[] = [];
  const parts = { clock: realClock, random: seededRandom(1), store: new Store({ clock: realClock }) };
  const serviceCidr = apiServerFlags.find((flag) => flag.startsWith(CIDR_FLAG))?.slice(CIDR_FLAG.length);
  const admission = serviceCidr && builtInAdmission({ ...parts, serviceCidr, serviceAccounts: false });
  const switchedOn = apiServerFlags.find((flag) => flag.startsWith(RUNTIME_FLAG))?.slice(RUNTIME_FLAG.length);
  const runtimeConfig = switchedOn?.split(",").map((each) => each.replace(/=true$/, "")) ?? [];
  const server = embeddedServer({
    ...parts,
    kinds: allKinds,
    ...(admission && { admission }),
    runtimeConfig,
  });
  const transport = new RecordedTransport(wrap(new DirectTransport(server)), (write) => writes.push(write));
  const clients = clientBuilder({ ...common, transports: sharedTransports(transport), host: "embedded" });
  return new ControllerCluster(clients, writes, async () => server.parts.store.close());
}

async function startCluster(apiServerFlags: readonly string[] = [], wrap = bare): Promise<ControllerCluster> {
  const cluster = await startRealCluster({ apiServerFlags: [...NO_SERVICE_ACCOUNTS, ...apiServerFlags] });
  const writes: Write[] = [];
  const clients = httpClients({
    ...common,
    access: await loadAccess({ kubeconfig: cluster.kubeconfig, env: {} }),
    env: {},
    wrap: (transport) => new RecordedTransport(wrap(transport), (write) => writes.push(write)),
  });
  return new ControllerCluster(clients, writes, cluster.stop, cluster);
}

/** Nobody makes service accounts here, which pods would otherwise need. */
const NO_SERVICE_ACCOUNTS = ["--disable-admission-plugins=ServiceAccount"];

const common = {
  clock: realClock,
  log: silentLogger,
  metrics: noMetrics,
  userAgent: "test",
  qps: 100_000,
  burst: 100_000,
};
