import { featureGates } from "../../../pkg/api/feature-gates.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { hollowNodes } from "../../../pkg/cluster/hollow/hollow-nodes.ts";
import { hollowNodeName } from "../../../pkg/cluster/hollow/node-object.ts";
import { hollowAttacher } from "../../../pkg/cluster/hollow/volume-attacher.ts";
import { scheduler } from "../../../pkg/cluster/scheduler/scheduler.ts";
import { hollowProvisioner } from "../../../pkg/cluster/volumes/provisioner.ts";
import { ControllerSet } from "../../../pkg/controller/controller-set.ts";
import { openGate } from "../../../pkg/leader/fence.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { clientsOf } from "../../harness/admin-client.ts";
import { AuditLog } from "../../harness/audit-log.ts";
import { Daemon, type Program } from "../../harness/daemon.ts";
import { kubeadmFlags, MANAGER_USER, POD_NETWORK_FLAGS } from "../../harness/kubeadm-flags.ts";
import { freePorts, type RealCluster, startRealCluster } from "../../harness/real-cluster.ts";
import { goScheduler } from "../../harness/real-programs.ts";
import { allowJoining, joinNodes } from "./joined-nodes.ts";
import { PodMetrics } from "./pod-metrics.ts";

export const NODES: readonly string[] = [0, 1, 2].map(hollowNodeName);

/** As kubeadm starts an API server. */
const SERVER_FLAGS = [
  "--authorization-mode=Node",
  "--enable-admission-plugins=NodeRestriction",
  "--enable-bootstrap-token-auth=true",
  "--service-cluster-ip-range=10.96.0.0/12",
];

/** So that nobody waits for what takes minutes on purpose. */
const HURRY = [
  "--horizontal-pod-autoscaler-sync-period=1s",
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=10s",
];

interface Parts {
  readonly cluster: RealCluster;
  readonly admin: ClientBuilder;
  readonly manager: Daemon;
  readonly port: number;
  readonly metrics: PodMetrics;
}

/** A real API server with one controller manager, started as kubeadm does it, and nothing else that controls anything. */
export class LonelyCluster {
  readonly client: ClientSet;
  readonly audit: AuditLog;
  readonly manager: Daemon;
  readonly server: RealCluster;
  /** Where the manager serves. */
  readonly port: number;
  readonly metrics: PodMetrics;
  readonly #admin: ClientBuilder;
  readonly #stops: (() => Promise<unknown>)[] = [];

  private constructor({ cluster, admin, manager, port, metrics }: Parts) {
    this.server = cluster;
    this.client = admin.client("test");
    this.audit = new AuditLog(cluster.auditLog);
    this.manager = manager;
    this.port = port;
    this.metrics = metrics;
    this.#admin = admin;
  }

  static async start(program: Program, more: readonly string[] = []): Promise<LonelyCluster> {
    const cluster = await startRealCluster({ audit: true, apiServerFlags: SERVER_FLAGS });
    const admin = await clientsOf(cluster.kubeconfig);
    const [port = 0] = await freePorts(1);
    const kubeconfig = await cluster.kubeconfigFor(MANAGER_USER);
    const flags = [...kubeadmFlags(cluster, kubeconfig, port), ...POD_NETWORK_FLAGS, ...HURRY, ...more];
    const manager = new Daemon(program, flags);
    const metrics = new PodMetrics(admin.client("metrics-server"));
    const lonely = new LonelyCluster({ cluster, admin, manager, port, metrics });
    await metrics.start(cluster.authority);
    return lonely;
  }

  /** Hollow nodes join with a token, and pods are given to them: by the real scheduler, where there is one. */
  async join(): Promise<void> {
    await allowJoining(this.client);
    const clients = await joinNodes(this.server, NODES);
    const program = goScheduler();
    const nodes = { nodes: NODES.length, admitsPods: false, awaitsRanges: true, awaitsVolumes: true };
    const world = new ControllerSet({
      descriptors: [
        hollowNodes({ ...nodes, leaseRenewMs: 1_000 }),
        hollowAttacher(NODES.length),
        hollowProvisioner(true),
        ...(program === undefined ? [scheduler()] : []),
      ],
      clients,
      gate: openGate,
      clock: realClock,
      random: realRandom,
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(),
      name: "hollow-world",
    });
    const stopping = new AbortController();
    const ended = world.run(stopping.signal);
    this.#stops.push(async () => {
      stopping.abort();
      await ended;
      await clients.close();
    });
    if (program === undefined) return;
    const kubeconfig = `--kubeconfig=${this.server.kubeconfig}`;
    const started = new Daemon([program], [kubeconfig, "--leader-elect=false", "--secure-port=0"]);
    this.#stops.push(async () => started.end());
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
    await this.manager.end();
    await this.metrics.stop();
    await this.#admin.close();
    await this.server.stop();
  }
}
