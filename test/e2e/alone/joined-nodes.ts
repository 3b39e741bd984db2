import { generateKeyPairSync } from "node:crypto";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Secret } from "../../../pkg/api/types/core-v1.gen.ts";
import type { ClusterRoleBinding } from "../../../pkg/api/types/rbac-v1.gen.ts";
import { type ClientBuilder, clientBuilder, sharedTransports } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { HttpTransport } from "../../../pkg/client/http/http-transport.ts";
import { fixedIdentity, type TlsMaterial } from "../../../pkg/client/http/identity.ts";
import type { Transport, TransportRequest } from "../../../pkg/client/transport.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import { noMetrics } from "../../../pkg/metrics/metrics.ts";
import { kubeletRequest } from "../../harness/certificate-requests.ts";
import type { RealCluster } from "../../harness/real-cluster.ts";
import { until } from "../../harness/until.ts";

const TOKEN = { id: "abcdef", secret: "0123456789abcdef" };
const JOINERS = "system:bootstrappers:kubeadm:default-node-token";
const RBAC = "rbac.authorization.k8s.io";

// upstream: cmd/kubeadm/app/phases/bootstraptoken/node/tlsbootstrap.go
const bindings = [
  ["kubeadm:kubelet-bootstrap", "system:node-bootstrapper"],
  ["kubeadm:node-autoapprove-bootstrap", "system:certificates.k8s.io:certificatesigningrequests:nodeclient"],
] as const;

/** What "kubeadm init" leaves in a cluster for nodes that are to join it. */
export async function allowJoining(client: ClientSet): Promise<void> {
  await client.clientFor<Secret>(resources.secrets).create({
    metadata: { name: `bootstrap-token-${TOKEN.id}`, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": TOKEN.id,
      "token-secret": TOKEN.secret,
      "usage-bootstrap-authentication": "true",
      "usage-bootstrap-signing": "true",
      "auth-extra-groups": JOINERS,
    },
  });
  const clusterRoleBindings = client.clientFor<ClusterRoleBinding>(resources.clusterRoleBindings);
  for (const [name, role] of bindings)
    await clusterRoleBindings.create({
      metadata: { name },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
      subjects: [{ apiGroup: RBAC, kind: "Group", name: JOINERS }],
    });
}

/** Asks for a certificate with the token, as the node's kubelet would. */
async function join(cluster: RealCluster, node: string): Promise<Transport> {
  const headers = { authorization: `Bearer ${TOKEN.id}.${TOKEN.secret}` };
  const joining = clientsOver(transportTo(cluster, {}, headers));
  const requests = joining.client("kubelet").clientFor(resources.certificateSigningRequests);
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const usages = ["digital signature", "client auth"];
  const { metadata } = await requests.create(kubeletRequest(node, { key, usages }));
  let certificate = "";
  await until(`${node} has its certificate`, async () => {
    certificate = (await requests.get({ name: metadata.name })).status?.certificate ?? "";
    return certificate !== "";
  });
  await joining.close();
  return transportTo(cluster, {
    cert: Buffer.from(certificate, "base64"),
    key: Buffer.from(key.privateKey.export({ type: "pkcs8", format: "pem" })),
  });
}

function transportTo(
  { url, ca }: RealCluster,
  tls: TlsMaterial,
  headers: Readonly<Record<string, string>> = {},
): Transport {
  const identity = fixedIdentity({ ...tls, ca: Buffer.from(ca) }, headers);
  return new HttpTransport({ server: new URL(url), identity, clock: realClock });
}

function clientsOver(transport: Transport): ClientBuilder {
  return clientBuilder({
    transports: sharedTransports(transport),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    host: "server",
    userAgent: "kubelet",
    qps: -1,
    burst: 1,
  });
}

const OWN_PATH = /^\/api\/v1\/nodes\/([^/]+)|\/namespaces\/kube-node-lease\/leases\/([^/]+)/;
const CREATED_AT = /^\/api\/v1\/nodes$|\/namespaces\/kube-node-lease\/leases$/;

/** Whose own Node or Lease a request writes. */
function writer({ method, path, body }: TransportRequest): string | undefined {
  if (method === "GET") return undefined;
  if (method === "POST" && CREATED_AT.test(path)) return (body as ApiObject).metadata.name;
  const [, node, lease] = OWN_PATH.exec(path) ?? [];
  return node ?? lease;
}

/**
 * Clients for hollow nodes of these names: each writes its Node and its Lease with the certificate that it got when it
 * joined, and all else happens as the admin.
 */
export async function joinNodes(cluster: RealCluster, names: readonly string[]): Promise<ClientBuilder> {
  const admin = transportTo(cluster, {
    cert: Buffer.from(cluster.admin.cert),
    key: Buffer.from(cluster.admin.key),
  });
  const joined = await Promise.all(names.map(async (name) => [name, await join(cluster, name)] as const));
  const byName = new Map(joined);
  return clientsOver({
    send: async (request, signal) => {
      return (byName.get(writer(request) ?? "") ?? admin).send(request, signal);
    },
    close: async () => {
      await Promise.all([admin, ...byName.values()].map(async (transport) => transport.close()));
    },
  });
}
