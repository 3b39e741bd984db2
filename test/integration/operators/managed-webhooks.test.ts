import { once } from "node:events";
import { get as httpGet, type IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientsOf } from "../../harness/admin-client.ts";
import { freePorts } from "../../harness/real-cluster.ts";
import { servers, type TestServer } from "../../harness/servers.ts";
import { until } from "../../harness/until.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ConfigMap } from "../../../pkg/api/types/core-v1.gen.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import { defineCrd } from "../../../pkg/crd/define-crd.ts";
import { silentLogger } from "../../../pkg/log/logger.ts";
import type { Host, Manager } from "../../../pkg/manager/index.ts";
import { createMetrics } from "../../../pkg/metrics/registry.ts";
import { syncer } from "../../examples/syncer/program.ts";
import { syncerWebhooks } from "../../examples/syncer/webhooks.ts";

const namespace = "default";
const TO = "sync.example.com/to";
const site = { group: "managed.example.com", kind: "Site", scope: "Namespaced" } as const;
const OldSite = defineCrd({
  ...site,
  version: "v1",
  spec: { type: "object", properties: { host: { type: "string" } } },
});
const Site = defineCrd({
  ...site,
  version: "v2",
  spec: { type: "object", properties: { hosts: { type: "array", items: { type: "string" } } } },
}).convert(
  OldSite,
  ({ spec }) => ({ spec: { hosts: spec.host === undefined ? [] : [spec.host] } }),
  ({ spec }) => ({ spec: { host: spec.hosts?.[0] ?? "" } }),
);

function hostOf(asked: AbortSignal): Host {
  return {
    clock: realClock,
    random: realRandom,
    log: silentLogger,
    metrics: createMetrics({ version: "1.36.4" }),
    environment: {},
    identity: "one",
    asked,
    close: async () => undefined,
  };
}

describe.each(servers)("the syncer as a program ($name)", ({ start }) => {
  let server: TestServer;
  let builder: ClientBuilder;
  let client: ClientSet;
  let program: Manager;
  let ended: Promise<void>;
  const stop = new AbortController();

  beforeAll(async () => {
    server = await start();
    builder = await clientsOf(server.kubeconfig);
    client = builder.client("test");
    const [webhooks = 0] = await freePorts(1);
    program = syncer(namespace, {
      host: hostOf(stop.signal),
      clients: builder,
      installCrds: [Site],
      port: { health: 0, metrics: 0, webhooks },
      webhooks: {
        run: syncerWebhooks,
        namespace,
        install: true,
        address: { url: `https://127.0.0.1:${webhooks}` },
      },
    });
    ended = program.run();
    await until("it is ready", async () => (await page("health", "/readyz").catch(() => [0]))[0] === 200);
    await until("the webhooks are asked", async () => (await attempt("probe", "team/web")) !== "made");
  });
  afterAll(async () => {
    stop.abort(new Error("the test is over"));
    await ended;
    await builder.close();
    await server.stop();
  });

  const create = async (name: string, to: string, options = {}): Promise<ConfigMap> =>
    client
      .clientFor(resources.configMaps)
      .create({ metadata: { name, namespace, annotations: { [TO]: to } }, data: { key: "v1" } }, options);
  const attempt = async (name: string, to: string): Promise<string> =>
    create(name, to, { dryRun: true }).then(
      () => "made",
      (error: unknown) => String(error),
    );
  const page = async (
    port: "health" | "metrics",
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<readonly [number, string]> => {
    const options = { host: "127.0.0.1", port: program.ports[port], path, headers, agent: false } as const;
    const asked = port === "health" ? httpGet(options) : httpsGet({ ...options, rejectUnauthorized: false });
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return [response.statusCode ?? 0, await text(response)];
  };
  const tokenOf = async (name: string): Promise<Readonly<Record<string, string>>> => {
    const accounts = client.clientFor(resources.serviceAccounts);
    await accounts.create({ metadata: { name, namespace } });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: [] } };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const { body } = await server.request("POST", path, request);
    const { status } = body as { readonly status: { readonly token: string } };
    return { authorization: `Bearer ${status.token}` };
  };

  test("its webhooks are asked, with certificates that it has made", async () => {
    expect(await attempt("bad", "team/web")).toContain("is a label that namespaces have");
    expect((await create("good", "team = web")).metadata.annotations?.[TO]).toBe("team=web");
    expect(program.ports.webhooks).toBeGreaterThan(0);
    const [, shown] = await page("health", "/readyz?verbose");
    expect(shown).toContain("[+]webhooks ok");
  });

  test("what it defines is converted there, too", async () => {
    const old = OldSite.object({ metadata: { name: "blog", namespace }, spec: { host: "a.example" } });
    await client.clientFor(OldSite).create(old);
    const { spec } = await client.clientFor(Site).get({ namespace, name: "blog" });
    expect(spec).toEqual({ hosts: ["a.example"] });
  });
  test("its controllers run beside them", async () => {
    await client
      .clientFor(resources.namespaces)
      .create({ metadata: { name: "web", labels: { team: "web" } } });
    await create("shared", "team=web");
    const copy = async (): Promise<unknown> =>
      client
        .clientFor(resources.configMaps)
        .get({ namespace: "web", name: "shared" })
        .catch(() => undefined);
    await until("the copy is there", async () => (await copy()) !== undefined);
  });

  test("its metrics are for whom the API server lets see them", async () => {
    expect((await page("metrics", "/metrics"))[0]).toBe(401);
    expect((await page("metrics", "/metrics", { authorization: "Bearer nobody" }))[0]).toBe(401);
    expect(await page("metrics", "/metrics", await tokenOf("stranger"))).toEqual([
      403,
      "Authorization denied for user system:serviceaccount:default:stranger\n",
    ]);
    const reader = { metadata: { name: "reads-metrics" } };
    const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    await client.clientFor(resources.clusterRoles).create({ ...reader, rules });
    await client.clientFor(resources.clusterRoleBindings).create({
      ...reader,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reads-metrics" },
      subjects: [{ kind: "ServiceAccount", namespace, name: "prometheus" }],
    });
    const prometheus = await tokenOf("prometheus");
    const [status, exposed] = await page("metrics", "/metrics", prometheus);
    expect([status, exposed]).toEqual([
      200,
      expect.stringContaining("controller_runtime_webhook_requests_total"),
    ]);
    expect((await page("metrics", "/debug/controllers/configmap-syncer", prometheus))[0]).toBe(403);
  });
});
