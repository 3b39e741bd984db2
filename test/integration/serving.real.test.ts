import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  type DelegatedClients,
  delegatedClients,
} from "../../cmd/kube-controller-manager/server/delegation/delegated-clients.ts";
import { resolveOptions } from "../../cmd/kube-controller-manager/options/resolve.ts";
import { resources } from "../../pkg/api/resources.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { CertificateAuthority } from "../../pkg/pki/certificate-authority.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ask } from "../harness/https-client.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import {
  type Credentials,
  credentials,
  expectedStatus,
  PATHS,
  PATHS_OF_OURS,
} from "../harness/serving-cases.ts";
import { startTestServer, type TestHttpsServer } from "../harness/test-server.ts";

const quiet = { clock: realClock, log: silentLogger, metrics: noMetrics };

describe("the HTTPS server beside a real API server", () => {
  let cluster: RealCluster;
  let admin: ClientSet;
  let clients: DelegatedClients;
  let server: TestHttpsServer;
  let all: readonly Credentials[] = [];

  beforeAll(async () => {
    cluster = await startRealCluster();
    const access = await loadAccess({ kubeconfig: cluster.kubeconfig, env: {} });
    admin = httpClients({ ...quiet, access, env: {}, userAgent: "test", qps: -1, burst: 1 }).client("admin");
    all = await credentials(cluster.authority, cluster.frontProxyAuthority, {
      reader: await tokenOf(admin, "reader"),
      nobody: await tokenOf(admin, "nobody"),
    });
    await letRead(admin, "reader");
    clients = await clientsOf(cluster.kubeconfig);
    server = await startTestServer(["--v=10"], { clients });
  });
  afterAll(async () => {
    await server.close();
    await clients.close();
    await cluster.stop();
  });

  test("every path answers every kind of credentials as the Go program does", async () => {
    const wrong: string[] = [];
    for (const { name, standing, headers = {}, client } of all) {
      for (const [path, status] of [...PATHS, ...PATHS_OF_OURS]) {
        const answer = await ask({ port: server.port, path, headers, client });
        const expected = expectedStatus(standing, path, status);
        if (answer.status !== expected) wrong.push(`${path} with ${name}: ${answer.status}, not ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("no token gets into the log", () => {
    const tokens = all.flatMap(({ headers }) => String(headers?.["authorization"] ?? "").split(" ")[1] ?? []);
    expect(tokens.length).toBeGreaterThan(3);
    for (const token of tokens) expect(server.lines.join("")).not.toContain(token);
  });

  test("reviews are counted", async () => {
    const reader = all.find(({ name }) => name === "a token with rights");
    const { body } = await ask({ port: server.port, path: "/metrics", headers: reader?.headers ?? {} });
    for (const pattern of [
      /apiserver_delegated_authn_request_total\{code="201"\} \d/,
      /apiserver_delegated_authz_request_total\{code="201"\} \d/,
      /authentication_token_cache_request_total\{status="hit"\} \d/,
      /authentication_attempts\{result="error"\} \d/,
      /authenticated_user_requests\{username="admin"\} \d/,
      /authorization_attempts_total\{result="no-opinion"\} \d/,
    ])
      expect(body).toMatch(pattern);
  });

  test("authorities that the cluster publishes later count without a restart", async () => {
    const later = await CertificateAuthority.create("later", realClock);
    const newcomer = await later.issue({ commonName: "new", organizations: ["system:masters"] });
    const status = async (): Promise<number> =>
      (await ask({ port: server.port, path: "/metrics", client: newcomer })).status;
    expect(await status()).toBe(401);
    const ref = { namespace: "kube-system", name: "extension-apiserver-authentication" };
    const both = `${cluster.authority.cert}\n${later.cert}\n`;
    await admin
      .clientFor(resources.configMaps)
      .patch(ref, { type: "merge", body: { data: { "client-ca-file": both } } });
    await vi.waitFor(async () => expect(await status()).toBe(200), { timeout: 60_000 });
  });
});

describe("an API server that cannot be asked", () => {
  const gone = async (): Promise<DelegatedClients> => {
    const access = { server: new URL("https://127.0.0.1:1"), identity: {} };
    const client = httpClients({ ...quiet, access, env: {}, userAgent: "test", qps: -1, burst: 1 });
    return {
      authentication: client.client("a"),
      authorization: client.client("b"),
      close: async () => client.close(),
    };
  };

  test("stops the start, with a line that says what to do", async () => {
    const clients = await gone();
    await expect(startTestServer([], { clients })).rejects.toMatchObject({
      code: "Start",
      message: expect.stringMatching(
        /^the authentication settings .*--authentication-tolerate-lookup-failure.*refused.*$/i,
      ) as unknown,
    });
    await clients.close();
  });

  test("does not, if that is tolerated or not looked for; those without rights are told that something failed", async () => {
    for (const flag of ["--authentication-tolerate-lookup-failure", "--authentication-skip-lookup"]) {
      const clients = await gone();
      const server = await startTestServer([flag], { clients });
      expect((await ask({ port: server.port, path: "/healthz" })).status).toBe(200);
      const failed = await ask({ port: server.port, path: "/metrics" });
      expect(failed.status).toBe(500);
      expect(failed.body).toMatch(/^Internal Server Error: "\/metrics": /);
      const headers = { authorization: "Bearer any" };
      expect((await ask({ port: server.port, path: "/healthz", headers })).status).toBe(401);
      await server.close();
      await clients.close();
    }
  });
});

async function clientsOf(kubeconfig: string): Promise<DelegatedClients> {
  const flags = [`--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`];
  const { options } = resolveOptions(flags, () => "");
  return delegatedClients(options, { ...quiet, environment: {}, userAgent: "test" });
}

async function tokenOf(admin: ClientSet, name: string): Promise<string> {
  const accounts = admin.clientFor(resources.serviceAccounts);
  await accounts.create({ metadata: { name, namespace: "default" } });
  const ref = { name, namespace: "default" };
  const answer = await accounts.createSubresource<{ status: { token: string } }>(ref, "token", { spec: {} });
  return answer.status.token;
}

async function letRead(admin: ClientSet, name: string): Promise<void> {
  await admin.clientFor(resources.clusterRoles).create({
    metadata: { name },
    rules: [{ nonResourceURLs: ["*"], verbs: ["get"] }],
  });
  await admin.clientFor(resources.clusterRoleBindings).create({
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
}
