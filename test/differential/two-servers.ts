import { generateKeyPairSync } from "node:crypto";
import type { Json } from "../../pkg/api/json.ts";
import { accessControl } from "../../pkg/apiserver/access-control.ts";
import { builtInAdmission } from "../../pkg/apiserver/admission/built-in-admission.ts";
import { createBootstrapObjects } from "../../pkg/apiserver/bootstrap.ts";
import { DirectTransport } from "../../pkg/apiserver/direct-transport.ts";
import { embeddedServer } from "../../pkg/apiserver/embedded-server.ts";
import { HttpServer } from "../../pkg/apiserver/http/http-server.ts";
import { adminUser } from "../../pkg/apiserver/server/access.ts";
import { Store } from "../../pkg/apiserver/storage/store.ts";
import { clientBuilder } from "../../pkg/client/client-builder.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import { startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";
import { Side } from "./side.ts";

const SERVICE_CIDR = "10.96.0.0/16";

export interface TwoServers {
  readonly real: Side;
  readonly embedded: Side;
  stop(): Promise<void>;
}

/** Both, alike: without controllers, with RBAC, and with namespaces and users for the cases. */
export async function startTwoServers(workers: number): Promise<TwoServers> {
  const [real, embedded] = await Promise.all([startReal(), startEmbedded()]);
  const stop = async (): Promise<void> => void (await Promise.all([real.stop(), embedded.stop()]));
  try {
    await Promise.all([real, embedded].map(async (side) => furnish(side, workers)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { real, embedded, stop };
}

export function namespaceOf(worker: number): string {
  return `fuzz-w${worker}`;
}

async function startReal(): Promise<Side> {
  const flags = [
    `--service-cluster-ip-range=${SERVICE_CIDR}`,
    "--profiling=false",
    "--event-ttl=24h",
    "--etcd-compaction-interval=0",
  ];
  const cluster = await startRealCluster({ apiServerFlags: flags });
  return new Side({ ...cluster, name: "real", caches: true });
}

/** The embedded one alone, furnished as it is beside the real one. */
export async function startFurnished(workers: number): Promise<Side> {
  const embedded = await startEmbedded();
  try {
    await furnish(embedded, workers);
  } catch (error) {
    await embedded.stop();
    throw error;
  }
  return embedded;
}

async function startEmbedded(): Promise<Side> {
  const clock = realClock;
  const random = seededRandom(1);
  // The real one forgets nothing either: its storage does not compact.
  const store = new Store({ clock, window: { maxEvents: 1_000_000, maxAgeMs: 86_400_000 } });
  const serviceAccountKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const { rbac, ...access } = accessControl({ store, clock, random, serviceAccountKey, insecure: false });
  const server = embeddedServer({
    clock,
    random,
    store,
    admission: builtInAdmission({ store, clock, random, serviceCidr: SERVICE_CIDR, rbac }),
    ...access,
  });
  const authority = await CertificateAuthority.create("embedded", clock);
  const serving = await authority.issue({ commonName: "kube-apiserver", hosts: ["127.0.0.1"] });
  const http = await HttpServer.start({ server, tls: { ...serving, clientCa: authority.cert } });
  const clients = clientBuilder({
    transports: {
      forClient: () => new DirectTransport(server, adminUser),
      userAgentSuffix: (name) => name,
      close: async () => undefined,
    },
    clock,
    log: silentLogger,
    metrics: noMetrics,
    host: "in-process",
    userAgent: "fuzzer",
    qps: 1_000_000,
    burst: 1_000_000,
  });
  const bootstrap = { port: http.port, serviceAccounts: false, tokenUses: true, nowMs: clock.nowMs() };
  await createBootstrapObjects(clients.client("admin"), bootstrap);
  return new Side({
    name: "embedded",
    caches: false,
    url: http.url,
    ca: authority.cert,
    admin: await authority.issue({ commonName: "admin", organizations: ["system:masters"] }),
    stop: async () => {
      await http.close();
      await server.close();
    },
  });
}

const everywhere = ["", "apps", "batch", "policy", "autoscaling", "networking.k8s.io", "coordination.k8s.io"];

const roles: Readonly<Record<string, readonly Json[]>> = {
  "fuzz-edit": [
    { apiGroups: everywhere, resources: ["*"], verbs: ["*"] },
    {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings"],
      verbs: ["get", "create", "patch"],
    },
  ],
  "fuzz-view": [
    { apiGroups: everywhere, resources: ["pods", "deployments", "services", "jobs"], verbs: ["get", "list"] },
  ],
};

async function furnish(side: Side, workers: number): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const roleRef = (name: string): Json => ({
    apiGroup: "rbac.authorization.k8s.io",
    kind: "ClusterRole",
    name,
  });
  const subject = (name: string): Json => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });
  // The roles that every cluster has are filled by a controller, which is not there.
  for (const [name, rules] of Object.entries(roles))
    await post(side, `${rbac}/clusterroles`, { metadata: { name }, rules });
  for (let worker = 0; worker < workers; worker++) {
    const namespace = namespaceOf(worker);
    await post(side, "/api/v1/namespaces", { metadata: { name: namespace } });
    await post(side, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: "default" } });
    const bindings = `${rbac}/namespaces/${namespace}/rolebindings`;
    await post(side, bindings, {
      metadata: { name: "edit" },
      roleRef: roleRef("fuzz-edit"),
      subjects: [subject("editor")],
    });
  }
  const view = {
    metadata: { name: "fuzz-view" },
    roleRef: roleRef("fuzz-view"),
    subjects: [subject("viewer")],
  };
  await post(side, `${rbac}/clusterrolebindings`, view);
  await waitForAddresses(side);
  const asEditor = {
    method: "GET",
    path: `/api/v1/namespaces/${namespaceOf(workers - 1)}/secrets`,
    headers: {},
  };
  const asViewer = { method: "GET", path: "/api/v1/pods", headers: {} };
  await until(
    "roles of a namespace",
    async () => (await side.send({ ...asEditor, user: "editor" })).status === 200,
  );
  await until(
    "roles of the cluster",
    async () => (await side.send({ ...asViewer, user: "viewer" })).status === 200,
  );
}

/** The real server gives Services no addresses before it has read its own range of them. */
async function waitForAddresses(side: Side): Promise<void> {
  const services = `/api/v1/namespaces/${namespaceOf(0)}/services`;
  await post(side, services, { metadata: { name: "first" }, spec: { ports: [{ port: 80 }] } });
  await side.send({ method: "DELETE", path: `${services}/first`, user: "admin", headers: {} });
}

/** Roles and namespaces come to be known to the real server in their own time. */
async function post(side: Side, path: string, body: Json): Promise<void> {
  const headers = { "content-type": "application/json" };
  const request = { method: "POST", path, user: "admin", headers, body: JSON.stringify(body) };
  await until(`POST ${path}`, async () => [201, 409].includes((await side.send(request)).status));
}
