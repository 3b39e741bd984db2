import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { messageOf } from "../../pkg/api/errors.ts";
import { type ApiObject } from "../../pkg/api/object.ts";
import { groupResource, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import { type Transport, TransportError } from "../../pkg/client/transport.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { LogFields, Logger } from "../../pkg/log/logger.ts";
import { createMetrics } from "../../pkg/metrics/registry.ts";
import { ControllerWorld, type WorldOptions } from "../../test/harness/controller-world.ts";
import { authorityPair, signingFiles } from "../../test/harness/signing-files.ts";
import { MINIMAL_OBJECTS } from "../../test/integration/minimal-objects.ts";
import { resolveOptions } from "./options/resolve.ts";
import { registry } from "./registry.ts";

/** What each controller must do, whichever it is: a new one is tested here without being named. */
const pair = authorityPair({ nowMs: realClock.nowMs() });
const authority = signingFiles(pair);
afterAll(() => authority.remove());
const switchedOn = [
  "--allocate-node-cidrs",
  "--cluster-cidr=10.0.0.0/16",
  `--cluster-signing-cert-file=${authority.certFile}`,
  `--cluster-signing-key-file=${authority.keyFile}`,
];
const features = {
  ClusterTrustBundle: true,
  DRAResourcePoolStatus: true,
  GenericWorkload: true,
  PodCertificateRequest: true,
  StorageVersionAPI: true,
  StorageVersionMigrator: true,
};
const runtimeConfig = [
  "certificates.k8s.io/v1beta1",
  "internal.apiserver.k8s.io/v1alpha1",
  "resource.k8s.io/v1alpha3",
  "scheduling.k8s.io/v1alpha2",
  "storagemigration.k8s.io/v1beta1",
];
const descriptors = registry(resolveOptions(switchedOn, () => "").options, {
  rootCa: () => pair.cert,
  tokenSigner: () => ({ sign: async () => "a token" }) as never,
});

interface Shown {
  readonly queue: string;
  readonly workersAlive: number;
  readonly syncs: number;
  readonly history: readonly { readonly reasons: readonly string[]; readonly outcome: string }[];
}

interface Line {
  readonly component: string;
  readonly message: string;
  readonly error: string;
}

function recordingLog(lines: Line[], bound: LogFields = {}): Logger {
  const component = String(bound["component"]);
  return {
    error: (error, message) => void lines.push({ component, message, error: messageOf(error) }),
    warn: () => undefined,
    info: () => undefined,
    verbose: () => undefined,
    enabled: () => false,
    child: (fields) => recordingLog(lines, { ...bound, ...fields }),
  };
}

let world: ControllerWorld;
let set: Awaited<ReturnType<ControllerWorld["start"]>>;
let lines: Line[];

/** One object of every kind that there is, before the controllers start. */
async function start(options: WorldOptions = {}): Promise<void> {
  lines = [];
  world = new ControllerWorld({
    log: recordingLog(lines),
    features,
    runtimeConfig,
    ...options,
  });
  for (const name of ["default", "kube-system", "kube-public"])
    await world.client.clientFor(resources.namespaces).create({ metadata: { name } });
  for (const [resource, object] of MINIMAL_OBJECTS) await world.client.dynamic(resource).create(object);
  set = await world.start(...descriptors);
  await world.run(60_000);
}

afterEach(async () => world.stop());

function queuesOf(controller: string): readonly Shown[] {
  const page = set.debug(controller, "/", new URLSearchParams());
  return JSON.parse(page?.body ?? "[]") as readonly Shown[];
}

describe("each controller", () => {
  beforeEach(async () => start());

  test("has its workers at work, and health checks know them", () => {
    const idle = descriptors.filter(({ name }) => {
      const pools = Object.values(set.health().get(name)?.pools ?? {});
      return pools.length === 0 || pools.some(({ workersAlive }) => workersAlive === 0);
    });
    expect(idle.map(({ name }) => name)).toEqual([]);
  });

  test("tells of its queues and of the last syncs in them", () => {
    const silent = descriptors.filter(({ name }) => {
      const pools = Object.keys(set.health().get(name)?.pools ?? {});
      const shown = queuesOf(name);
      const told = shown.every(({ syncs, history }) => syncs === 0 || history.length > 0);
      return !told || shown.map(({ queue }) => queue).toString() !== pools.toString();
    });
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  test("knows why it syncs what it syncs", async () => {
    for (const [resource, { metadata }] of MINIMAL_OBJECTS) await touch(resource, metadata);
    await world.run(60_000);
    const unexplained = descriptors.flatMap(({ name }) =>
      queuesOf(name).flatMap(({ queue, history }) =>
        history.length > 0 && history.every(({ reasons }) => reasons.length === 0) ? [queue] : [],
      ),
    );
    // Rounds come by themselves.
    expect(unexplained.filter((queue) => queue !== "rounds")).toEqual([]);
  });
});

test("each queue has metrics, but for rounds and those that upstream lacks", async () => {
  const { main: metrics } = createMetrics({ version: "1.36.4" });
  await start({ metrics });
  const text = await metrics.expose();
  const unmeasured = [...set.health().values()].flatMap((health) =>
    Object.keys(health?.pools ?? {}).filter(
      // What tells two queues of one name apart stands behind it in brackets.
      (queue) => !text.includes(`workqueue_adds_total{name="${queue.replace(/ \(.*\)$/, "")}"}`),
    ),
  );
  expect(unmeasured.filter((queue) => queue !== "rounds")).toEqual([
    "endpoint_slice_zones",
    "node_lifecycle_zones",
    "attachdetach_volumes",
    "attachdetach_nodes",
    "attachdetach_drivers",
    "resource_pool_status_requests",
  ]);
});

test.each(["refused", "timeout"] as const)(
  "each waits as a whole for an API server that is away (%s), and blames no key for it",
  async (failure) => {
    let isAway = false;
    // Users still reach it, and so do watches that are open: there is work that cannot be done.
    const transport = (server: Transport): Transport => ({
      send: async (request, signal) => {
        if (isAway && request.headers?.["user-agent"]?.endsWith("/test") !== true)
          throw new TransportError(failure, "the API server is away", false);
        return server.send(request, signal);
      },
      close: async () => server.close(),
    });
    await start({ transport });
    // There are objects that name what is not there.
    const faults = new Set(failures());
    isAway = true;
    for (const [resource, object] of WORK) await world.create(resource, object);
    await world.run(120_000);
    const waiting = new Set(
      lines.flatMap(({ component, message }) =>
        message.startsWith("The API server cannot be reached") ? [component] : [],
      ),
    );
    expect(waiting.size).toBeGreaterThan(10);
    isAway = false;
    await world.run(60_000);
    expect(failures().filter((failure) => !faults.has(failure))).toEqual([]);
  },
);

// Where metadata is enough, as for the garbage collector, nothing of the content comes.
test("of Secrets and ConfigMaps no more is read than those that somebody needs", async () => {
  const read = new Set<string>();
  const transport = (server: Transport): Transport => ({
    send: async (request, signal) => {
      const { method, path, query } = request;
      const isMetadata = request.headers?.["accept"]?.includes("as=PartialObjectMetadata") === true;
      const isCollection = /\/(secrets|configmaps|clustertrustbundles)$/.test(path);
      if (method === "GET" && isCollection && !isMetadata) read.add(`${path} ${query?.get("fieldSelector")}`);
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });
  await start({ transport });
  expect([...read].toSorted()).toEqual([
    "/api/v1/configmaps metadata.name=kube-root-ca.crt",
    "/api/v1/namespaces/kube-public/configmaps metadata.name=cluster-info",
    "/api/v1/namespaces/kube-system/secrets type=bootstrap.kubernetes.io/token",
    "/api/v1/secrets type=kubernetes.io/service-account-token",
    "/apis/certificates.k8s.io/v1beta1/clustertrustbundles spec.signerName=kubernetes.io/kube-apiserver-serving",
  ]);
});

/** What went wrong with keys, as lines. */
function failures(): readonly string[] {
  return lines.flatMap(({ component, message, error }) =>
    message.startsWith("Sync failed") ? [`${component}: ${error}`] : [],
  );
}

const pods = { spec: { containers: [{ name: "main", image: "busy:1" }] } };
const once = { spec: { ...pods.spec, restartPolicy: "Never" } };

/** Of each kind one whose pods are its own. */
function workload(app: string) {
  const labels = { app };
  return { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, ...pods } };
}

/** What gives most controllers something to write. */
const WORK: readonly (readonly [Resource, ApiObject])[] = (
  [
    [resources.namespaces, {}],
    [resources.nodes, {}],
    [resources.pods, pods],
    [resources.deployments, { spec: workload("deployment") }],
    [resources.replicaSets, { spec: workload("replica-set") }],
    [resources.statefulSets, { spec: { ...workload("stateful-set"), serviceName: "busy" } }],
    [resources.daemonSets, { spec: { ...workload("daemon-set"), replicas: undefined } }],
    [resources.replicationControllers, { spec: { ...workload("old"), selector: { app: "old" } } }],
    [resources.jobs, { spec: { template: once } }],
    [resources.cronJobs, { spec: { schedule: "* * * * *", jobTemplate: { spec: { template: once } } } }],
    [resources.services, { spec: { selector: { app: "busy" }, ports: [{ port: 80 }] } }],
    [resources.podDisruptionBudgets, { spec: { selector: {}, minAvailable: 1 } }],
    [resources.resourceQuotas, { spec: { hard: { pods: "10" } } }],
    [resources.serviceCIDRs, { spec: { cidrs: ["10.9.0.0/16"] } }],
    [resources.clusterRoles, { aggregationRule: { clusterRoleSelectors: [{}] }, rules: [] }],
  ] as const
).map(([resource, rest]) => [resource, { metadata: { name: "busy", labels: { app: "busy" } }, ...rest }]);

async function touch(
  resource: (typeof MINIMAL_OBJECTS)[number][0],
  { namespace, name = "" }: ApiObject["metadata"],
): Promise<void> {
  const annotations = { "example.com/touched": "yes" };
  const ref = { ...(namespace !== undefined && { namespace }), name };
  try {
    await world.client.dynamic(resource).patch(ref, { type: "merge", body: { metadata: { annotations } } });
  } catch (error) {
    throw new Error(`${groupResource(resource)} ${name} cannot be touched`, { cause: error });
  }
}
