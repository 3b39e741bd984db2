import { join } from "node:path";
import { realClock } from "../../pkg/clock/real.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { type Random, seededRandom } from "../../pkg/clock/random.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import { resources } from "../../pkg/api/resources.ts";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { type ClientBuilder, clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import { accessControl } from "../../pkg/apiserver/access-control.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { builtInAdmission } from "../../pkg/apiserver/admission/built-in-admission.ts";
import { hollowNodes } from "../../pkg/cluster/hollow/hollow-nodes.ts";
import { scheduler } from "../../pkg/cluster/scheduler/scheduler.ts";
import { Store } from "../../pkg/apiserver/storage/store.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { LoadMetrics, podsOfServer } from "../harness/load-metrics.ts";
import { serveMetrics } from "../harness/metrics-server.ts";
import { AuditLog } from "../harness/audit-log.ts";
import { Daemon, type Program } from "../harness/daemon.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { RecordedTransport } from "../../pkg/testing/recorded-transport.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { Activity } from "./activity.ts";
import { type Area, areas, gateFlags, SIGNING_MINUTES } from "./area.ts";
import { writeOf } from "./audit-writes.ts";
import { DistantTransport } from "./distant-transport.ts";
import { Pace } from "./pace.ts";
import { PacedTransport } from "./paced-transport.ts";
import type { Scenario } from "./scenario.ts";

/** An API server with a controller manager, a scheduler and hollow nodes, and a user of it. */
export interface Arena {
  readonly clock: Clock;
  /** As the user, who waits for quiet before every write. */
  readonly client: ClientSet;
  readonly activity: Activity;
  /** What there is to be measured, where anything is. */
  readonly metrics: LoadMetrics;
  /** Ends the manager and starts another, with the flags of the scenario. */
  restartManager(scenario: Scenario): Promise<void>;
  /** Resolves as `work` does; virtual time passes meanwhile. */
  drive<T>(work: Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

interface RunningManager {
  readonly end: AbortController;
  readonly ended: Promise<void>;
}

const NODES = 3;
const QUIET_MS = 200;
const VIRTUAL_QUIET_MS = 100;
/** About what a request to an API server on the same machine takes. */
const ONE_WAY_MS = 2;
const AUDIT_POLL_MS = 20;
const MANAGER = "kube-controller-manager";

/** Everything in this process, in virtual time. */
export async function startEmbeddedArena(
  area: Area,
  controllers: () => readonly ControllerDescriptor[],
): Promise<Arena> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const quietMs = areas[area].answersWithinMs ?? VIRTUAL_QUIET_MS;
  const activity = new Activity(clock, () => quietMs);
  const store = new Store({ clock });
  const admission = builtInAdmission({
    store,
    clock,
    random,
    serviceCidr: "10.0.0.0/16",
    serviceAccounts: areas[area].serviceAccounts,
  });
  // Everybody may do everything, and is told so.
  const { virtual } = accessControl({ store, clock, random, insecure: true });
  const { apis: runtimeConfig = [], gates } = areas[area];
  const server = embeddedServer({ clock, random, store, admission, virtual, runtimeConfig });
  const direct = new RecordedTransport(new DirectTransport(server), (write) => {
    if (write.resource === "leases") return;
    const isOfMany = write.verb === "delete" && write.name === "";
    activity.record({ ...write, verb: isOfMany ? "deletecollection" : write.verb });
  });
  const common = {
    clock,
    log: silentLogger,
    metrics: noMetrics,
    host: "embedded",
    qps: UNLIMITED,
    burst: UNLIMITED,
  };
  const paced = sharedTransports(new PacedTransport(direct, activity));
  const outsiders = clientBuilder({ ...common, userAgent: "parity", transports: paced });
  const client = outsiders.client("user");
  const metrics = new LoadMetrics(podsOfServer(client), () => clock.nowMs());
  const distant = sharedTransports(new DistantTransport(metrics.over(direct), clock, ONE_WAY_MS));
  const managers = clientBuilder({ ...common, userAgent: MANAGER, transports: distant });
  const stop = new AbortController();
  const drive = async <T>(work: Promise<T>): Promise<T> => {
    let over = false;
    const ended = work.finally(() => (over = true));
    // A failure is the caller's to see, below.
    ended.catch(() => undefined);
    await clock.runUntil(() => over);
    return ended;
  };
  await drive(client.clientFor(resources.namespaces).create({ metadata: { name: NODE_LEASES } }));
  const running = runControllers(outsiders, plant(area), { clock, random }, stop.signal);
  const startManager = (): RunningManager => {
    const end = new AbortController();
    return { end, ended: runControllers(managers, controllers(), { clock, random, gates }, end.signal) };
  };
  const endManager = async ({ end, ended }: RunningManager): Promise<void> => {
    end.abort(new Error("the manager ends"));
    await ended;
  };
  let manager = startManager();
  return {
    clock,
    client,
    activity,
    metrics,
    drive,
    restartManager: async () => {
      await endManager(manager);
      manager = startManager();
    },
    stop: async () => {
      stop.abort(new Error("the scenario is over"));
      await drive(Promise.all([running, endManager(manager)]));
      await server.close();
    },
  };
}

/** A cluster of its own with a controller manager in another process, in real time, and patience with it. */
export async function startRealArena(
  program: Program,
  area: Area,
  podsKept: number,
  patience = 1,
): Promise<Arena> {
  const {
    controllers,
    serviceAccounts,
    flags: ofArea = [],
    apis = [],
    hasMetrics,
    signs = false,
  } = areas[area];
  const gates = gateFlags(areas[area]);
  const served = apis.map((version) => `--runtime-config=${version}=true`);
  const admission = serviceAccounts ? [] : ["--disable-admission-plugins=ServiceAccount"];
  const cluster = await startRealCluster({
    audit: true,
    apiServerFlags: [...admission, ...gates, ...served, "--audit-log-maxsize=4000"],
  });
  const pace = new Pace();
  const quietMs = areas[area].answersWithinMs ?? QUIET_MS;
  const activity = new Activity(realClock, () => patience * Math.max(quietMs, pace.answersWithinMs));
  const outsiders = httpClients({
    access: await loadAccess({ kubeconfig: cluster.kubeconfig, env: {} }),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    env: {},
    userAgent: "parity",
    qps: UNLIMITED,
    burst: UNLIMITED,
    wrap: (transport) => new PacedTransport(transport, activity),
  });
  const stop = new AbortController();
  const listening = followAudit(new AuditLog(cluster.auditLog), activity, stop.signal);
  const pacing = pace.follow(outsiders.client("pace"), stop.signal);
  const nodes = runControllers(
    outsiders,
    plant(area),
    { clock: realClock, random: seededRandom(1) },
    stop.signal,
  );
  const { promise: crash, reject: crashed } = Promise.withResolvers<never>();
  // Whoever drives hears of it.
  crash.catch(() => undefined);
  const startManager = (flags: readonly string[] = []): Daemon => {
    const started = new Daemon(program, [
      ...managerFlags(cluster.kubeconfig, podsKept, controllers),
      ...(serviceAccounts ? accountFlags(cluster) : []),
      ...ofArea,
      ...gates,
      ...(signs ? signingFlags(cluster) : []),
      ...flags,
    ]);
    const onExit = (): void => {
      if (started === daemon)
        crashed(new Error(`the controller manager ended:\n${started.output.slice(-4_000)}`));
    };
    started.exit.then(onExit, crashed);
    return started;
  };
  const client = outsiders.client("user");
  const metrics = new LoadMetrics(podsOfServer(client), () => realClock.nowMs());
  const endMetrics = hasMetrics === true ? await serveMetrics(client, metrics) : undefined;
  let daemon: Daemon | undefined = startManager();
  const endManager = async (): Promise<void> => {
    const ended = daemon;
    daemon = undefined;
    await ended?.end("SIGKILL");
  };
  return {
    clock: realClock,
    client,
    activity,
    metrics,
    drive: async (work) => Promise.race([work, crash]),
    restartManager: async ({ flags }) => {
      await endManager();
      daemon = startManager(flags);
    },
    stop: async () => {
      await endManager();
      stop.abort(new Error("the scenarios are over"));
      await Promise.all([nodes, listening, pacing]);
      await outsiders.close();
      await cluster.stop();
      await endMetrics?.();
    },
  };
}

const UNLIMITED = 1_000_000;
/** A real API server makes it by itself. */
const NODE_LEASES = "kube-node-lease";

/** The same for both programs. */
export function managerFlags(
  kubeconfig: string,
  terminatedPodsKept: number,
  controllers = areas.workloads.controllers,
): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join()}`,
    `--terminated-pod-gc-threshold=${terminatedPodsKept}`,
    "--leader-elect=false",
    "--secure-port=0",
    `--kube-api-qps=${UNLIMITED}`,
    `--kube-api-burst=${UNLIMITED}`,
  ];
}

function accountFlags({ serviceAccountKeyFile, directory }: RealCluster): readonly string[] {
  return [
    `--service-account-private-key-file=${serviceAccountKeyFile}`,
    `--root-ca-file=${join(directory, "ca.crt")}`,
  ];
}

/** An authority that lives for longer than what it signs. */
function signingFlags({ directory }: RealCluster): readonly string[] {
  return [
    `--cluster-signing-cert-file=${join(directory, "ca.crt")}`,
    `--cluster-signing-key-file=${join(directory, "ca.key")}`,
    `--cluster-signing-duration=${SIGNING_MINUTES}m`,
  ];
}

/** Nobody binds claims: the scenarios are about those who make and delete them. */
function plant(area: Area): readonly ControllerDescriptor[] {
  const { nodes = NODES, leaseRenewMs } = areas[area];
  const settings = { nodes, ...(leaseRenewMs !== undefined && { leaseRenewMs }) };
  return [scheduler({ bindsVolumes: false }), hollowNodes(settings)];
}

interface ControllerSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  /** Feature gates that are on. */
  readonly gates?: readonly string[] | undefined;
}

export async function runControllers(
  clients: ClientBuilder,
  descriptors: readonly ControllerDescriptor[],
  { clock, random, gates = [] }: ControllerSurroundings,
  signal: AbortSignal,
): Promise<void> {
  const set = new ControllerSet({
    descriptors,
    clients,
    gate: openGate,
    clock,
    random,
    log: silentLogger,
    metrics: noMetrics,
    features: featureGates(Object.fromEntries(gates.map((gate) => [gate, true]))),
    name: "parity",
  });
  await set.run(signal);
}

async function followAudit(log: AuditLog, activity: Activity, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const event of await log.read()) {
      const write = writeOf(event);
      if (write !== undefined) activity.record(write);
    }
    await sleep(realClock, AUDIT_POLL_MS);
  }
}
