// Many Deployments at once: node test/parity/load.ts [--on real|embedded] [--manager PROGRAM] [--deployments N] [--replicas N]
// Prints one line of JSON (LoadResult). The manager is this repository's own when none is named.
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { deploymentController } from "../../controllers/deployment/controller.ts";
import { replicaSetController } from "../../controllers/replicaset/controller.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import { type ClientBuilder, clientBuilder, sharedTransports } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { hollowNodes } from "../../pkg/cluster/hollow/hollow-nodes.ts";
import { PODS_PER_NODE } from "../../pkg/cluster/hollow/node-object.ts";
import { scheduler } from "../../pkg/cluster/scheduler/scheduler.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { clientsOf } from "../harness/admin-client.ts";
import type { AuditEvent } from "../harness/audit-log.ts";
import { Daemon, ourProgram, type Program } from "../harness/daemon.ts";
import { startRealCluster } from "../harness/real-cluster.ts";
import { RecordedTransport, type Write } from "../../pkg/testing/recorded-transport.ts";
import { until } from "../harness/until.ts";
import { writeOf } from "./audit-writes.ts";
import { runControllers, managerFlags } from "./arena.ts";
import { type LoadResult, LoadTally } from "./load-tally.ts";

const { values } = parseArgs({
  options: {
    on: { type: "string", default: "real" },
    manager: { type: "string" },
    deployments: { type: "string", default: "200" },
    replicas: { type: "string", default: "25" },
  },
});
const deployments = Number(values.deployments);
const replicas = Number(values.replicas);
/** A fifth more room than is needed. */
const nodeCount = Math.ceil(((deployments + 1) * replicas * 1.2) / PODS_PER_NODE);
const NAMESPACE = "load";
const TERMINATED_PODS_KEPT = 12_500;
const LIMIT_MS = 600_000;
const CREATED_AT_ONCE = 20;
/** After this long without change nothing more is expected. */
const QUIET_MS = 3_000;

const program = values.manager === undefined ? ourProgram : values.manager.split(" ");
const result = values.on === "embedded" ? await loadEmbedded() : await loadReal(program);
console.log(JSON.stringify(result));

async function loadReal(manager: Program): Promise<LoadResult> {
  const cluster = await startRealCluster({
    audit: true,
    apiServerFlags: ["--disable-admission-plugins=ServiceAccount", "--audit-log-maxsize=4000"],
  });
  const clients = await clientsOf(cluster.kubeconfig);
  const stop = new AbortController();
  const nodes = runControllers(clients, plant(), { clock: realClock, random: realRandom }, stop.signal);
  const daemon = new Daemon(manager, managerFlags(cluster.kubeconfig, TERMINATED_PODS_KEPT));
  try {
    const client = clients.client("user");
    await warmUp(client);
    const before = await usageOf(daemon.pid);
    const seconds = await play(client);
    const after = await usageOf(daemon.pid);
    const tally = new LoadTally();
    for await (const line of createInterface({ input: createReadStream(cluster.auditLog) })) {
      const event = JSON.parse(line) as AuditEvent;
      const write = writeOf(event);
      if (write?.namespace === NAMESPACE) tally.record(write, Date.parse(event.stageTimestamp));
    }
    const cpuSeconds = after.cpuSeconds - before.cpuSeconds;
    return { ...tally.result(deployments * replicas, seconds), cpuSeconds, rssMiB: after.rssMiB };
  } finally {
    await daemon.end();
    stop.abort(new Error("the load is over"));
    await nodes;
    await clients.close();
    await cluster.stop();
  }
}

async function loadEmbedded(): Promise<LoadResult> {
  const server = embeddedServer({ clock: realClock, random: realRandom });
  const tally = new LoadTally();
  const transport = new RecordedTransport(new DirectTransport(server), (write) => {
    if (write.namespace === NAMESPACE) tally.record({ ...write, name: nameOf(write) }, realClock.nowMs());
  });
  const clients = directClients(transport);
  const stop = new AbortController();
  const ours = [deploymentController({ workers: 5 }), replicaSetController({ workers: 5 })];
  const running = [plant(), ours].map(async (descriptors) =>
    runControllers(clients, descriptors, { clock: realClock, random: realRandom }, stop.signal),
  );
  try {
    const client = clients.client("user");
    await warmUp(client);
    const before = process.cpuUsage();
    const seconds = await play(client);
    const { user, system } = process.cpuUsage(before);
    const rssMiB = process.memoryUsage().rss / 2 ** 20;
    const usage = { cpuSeconds: (user + system) / 1e6, rssMiB };
    return { ...tally.result(deployments * replicas, seconds), ...usage };
  } finally {
    stop.abort(new Error("the load is over"));
    await Promise.all(running);
    await server.close();
  }
}

/** Creates have their names in their bodies. */
function nameOf({ name, body }: Write): string {
  return name === "" ? ((body as Partial<ApiObject> | undefined)?.metadata?.name ?? "") : name;
}

function directClients(transport: RecordedTransport): ClientBuilder {
  return clientBuilder({
    transports: sharedTransports(transport),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    host: "embedded",
    userAgent: "load",
    qps: 1_000_000,
    burst: 1_000_000,
  });
}

function plant(): readonly ControllerDescriptor[] {
  return [scheduler(), hollowNodes({ nodes: nodeCount })];
}

/** The controller manager is at work, and all nodes are there. */
async function warmUp(client: ClientSet): Promise<void> {
  await client.clientFor(resources.namespaces).create({ metadata: { name: "first" } });
  await createDeployment(client, "first", "first");
  await until("the first Deployment is available", async () => areAvailable(client, "first", 1), LIMIT_MS);
  const nodes = async (): Promise<number> => (await client.clientFor(resources.nodes).list()).items.length;
  await until("all nodes are there", async () => (await nodes()) === nodeCount, LIMIT_MS);
}

/** Creates the Deployments and returns how many seconds it took until all were available. */
async function play(client: ClientSet): Promise<number> {
  await client.clientFor(resources.namespaces).create({ metadata: { name: NAMESPACE } });
  const startMs = realClock.monotonicMs();
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`);
  const create = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      await createDeployment(client, NAMESPACE, name);
  };
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create));
  const done = async (): Promise<boolean> => areAvailable(client, NAMESPACE, deployments);
  await until("all Deployments are available", done, LIMIT_MS, 100);
  const seconds = (realClock.monotonicMs() - startMs) / 1_000;
  await untilQuiet(client);
  return seconds;
}

async function createDeployment(client: ClientSet, namespace: string, name: string): Promise<void> {
  const labels = { app: name };
  await client.clientFor(resources.deployments).create({
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "app:v1" }] } },
    },
  });
}

async function areAvailable(client: ClientSet, namespace: string, count: number): Promise<boolean> {
  const { items } = await client.clientFor(resources.deployments).list({ namespace });
  return items.length === count && items.every(({ status }) => status?.availableReplicas === replicas);
}

/** No Deployment or ReplicaSet has changed for a while. */
async function untilQuiet(client: ClientSet): Promise<void> {
  const versions = async (): Promise<string> => {
    const kinds = [resources.deployments, resources.replicaSets];
    const lists = kinds.map(async (kind) => client.dynamic(kind).list({ namespace: NAMESPACE }));
    const items = (await Promise.all(lists)).flatMap((list) => list.items);
    return items.map(({ metadata }) => metadata.resourceVersion).join(" ");
  };
  let last = "";
  let sinceMs = 0;
  const isQuiet = async (): Promise<boolean> => {
    const now = await versions();
    if (now !== last) sinceMs = realClock.monotonicMs();
    last = now;
    return realClock.monotonicMs() - sinceMs >= QUIET_MS;
  };
  await until("nothing changes any more", isQuiet, LIMIT_MS, 500);
}

/** What a process has used so far; only where the system tells (/proc). */
async function usageOf(pid: number): Promise<Pick<LoadResult, "cpuSeconds" | "rssMiB">> {
  const TICKS_PER_SECOND = 100;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    rssMiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024,
  };
}
