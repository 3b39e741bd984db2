import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiObject, Status, WatchEvent } from "../../pkg/api/object.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isInvalid,
  isMethodNotSupported,
  isNotFound,
  isUnauthorized,
} from "../../pkg/client/errors.ts";
import { preferredResources } from "../../pkg/client/discovery-documents.ts";
import { httpClients, serviceAccountClients } from "../../pkg/client/http-clients.ts";
import { RestMapper } from "../../pkg/client/rest-mapper.ts";
import type { TransportRequest } from "../../pkg/client/transport.ts";
import { realClock } from "../../pkg/clock/real.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { servers, type TestServer } from "../harness/servers.ts";

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string>>;
}
const CONFIG_MAPS: TypedResource<ConfigMap> = {
  group: "",
  version: "v1",
  plural: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
};
interface Deployment extends ApiObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly replicas?: number };
}
const DEPLOYMENTS: TypedResource<Deployment> = {
  group: "apps",
  version: "v1",
  plural: "deployments",
  kind: "Deployment",
  namespaced: true,
};
const PODS = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

const configMap = (
  name: string,
  data?: Record<string, string>,
  labels?: Record<string, string>,
): ConfigMap => ({
  metadata: { namespace: "default", name, ...(labels === undefined ? {} : { labels }) },
  ...(data === undefined ? {} : { data }),
});
const ref = (name: string): { namespace: string; name: string } => ({ namespace: "default", name });

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(servers)("the client against the $name API server", ({ start }) => {
  let server: TestServer;
  let clients: ClientSet;
  const builders: ClientBuilder[] = [];

  beforeAll(async () => {
    server = await start();
    clients = (await connect(server.kubeconfig)).client("test");
  });
  afterAll(async () => {
    await Promise.all(builders.map(async (builder) => builder.close()));
    await server.stop();
  });

  async function connect(
    kubeconfig: string,
    options: { serviceAccounts?: boolean; log?: Logger } = {},
  ): Promise<ClientBuilder> {
    const common = {
      access: await loadAccess({ kubeconfig, env: process.env }),
      clock: realClock,
      log: options.log ?? silentLogger,
      metrics: noMetrics,
      env: process.env,
      userAgent: "client-test",
      qps: 1_000,
      burst: 1_000,
    };
    const builder = options.serviceAccounts
      ? serviceAccountClients(common, "kube-system")
      : httpClients(common);
    builders.push(builder);
    return builder;
  }

  async function tokenFor(name: string): Promise<string> {
    const accounts = clients.dynamic({ ...PODS, plural: "serviceaccounts", kind: "ServiceAccount" });
    await failure(accounts.create({ metadata: ref(name) }));
    const { status } = await accounts.createSubresource<{ status: { token: string } }>(ref(name), "token", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {},
    });
    return status.token;
  }

  async function whoAmI(who: ClientSet): Promise<{ username?: string; groups?: string[] }> {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const answer = (await who.rest.json({ method: "POST", path, body: review })) as {
      status: { userInfo: { username?: string; groups?: string[] } };
    };
    return answer.status.userInfo;
  }

  test("creates, reads, updates, patches, applies and deletes", async () => {
    const client = clients.clientFor(CONFIG_MAPS);
    const created = await client.create(configMap("crud", { a: "1" }), { fieldManager: "me" });
    expect(created).toMatchObject({ kind: "ConfigMap", apiVersion: "v1", data: { a: "1" } });
    expect(await client.get(ref("crud"))).toEqual(created);
    const updated = await client.update({ ...created, data: { a: "2" } });
    expect(updated.data).toEqual({ a: "2" });
    expect(isConflict(await failure(client.update({ ...created, data: { a: "3" } })))).toBe(true);

    const json = await client.patch(ref("crud"), {
      type: "json",
      body: [{ op: "add", path: "/data/j", value: "x" }],
    });
    expect(json.data).toEqual({ a: "2", j: "x" });
    const merged = await client.patch(ref("crud"), { type: "merge", body: { data: { j: null, m: "y" } } });
    expect(merged.data).toEqual({ a: "2", m: "y" });
    const strategic = await client.patch(ref("crud"), {
      type: "strategic",
      body: { data: { $retainKeys: ["s"], s: "z" } },
    });
    expect(strategic.data?.["s"]).toBe("z");
    const applied = await client.apply(configMap("crud", { s: "mine" }), {
      fieldManager: "applier",
      force: true,
    });
    expect(applied.data?.["s"]).toBe("mine");
    const contested = await failure(client.apply(configMap("crud", { s: "no" }), { fieldManager: "other" }));
    expect(isConflict(contested)).toBe(true);

    const dry = await client.update({ ...applied, data: { dry: "run" } }, { dryRun: true });
    expect(dry.data).toEqual({ dry: "run" });
    expect((await client.get(ref("crud"))).data).toEqual(applied.data);

    const wrong = client.delete(ref("crud"), { preconditions: { uid: "other" } });
    expect(isConflict(await failure(wrong))).toBe(true);
    const gone = (await client.delete(ref("crud"), {
      propagationPolicy: "Background",
      preconditions: { uid: created.metadata.uid ?? "" },
    })) as Status;
    expect(gone.status).toBe("Success");
    expect(isNotFound(await failure(client.get(ref("crud"))))).toBe(true);
  });

  test("works on subresources: status, scale, binding", async () => {
    const client = clients.clientFor(DEPLOYMENTS);
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
    const made = await client.create({
      metadata: ref("web"),
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
    const reported = await client.updateStatus({ ...made, status: { replicas: 3 } });
    expect(reported.status?.replicas).toBe(3);
    const scale = await client.getSubresource<{ spec: { replicas: number } }>(ref("web"), "scale");
    expect(scale.spec.replicas).toBe(1);
    const scaled = await client.updateSubresource<typeof scale>(ref("web"), "scale", {
      ...scale,
      spec: { replicas: 4 },
    });
    expect(scaled.spec.replicas).toBe(4);
    const patched = await client.patch(
      ref("web"),
      { type: "merge", body: { status: { replicas: 5 } } },
      { subresource: "status" },
    );
    expect(patched.status?.replicas).toBe(5);

    const pods = clients.dynamic(PODS);
    await tokenFor("default");
    await pods.create({ metadata: ref("pod"), spec: template.spec } as ApiObject);
    const binding = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "pod" },
      target: { kind: "Node", name: "n1" },
    };
    await pods.createSubresource(ref("pod"), "binding", binding);
    expect(await pods.get(ref("pod"))).toMatchObject({ spec: { nodeName: "n1" } });
    await pods.delete(ref("pod"), { gracePeriodSeconds: 0 });
  });

  test("lists in pages, as a stream, by selector, and as metadata; deletes a collection", async () => {
    const client = clients.clientFor(CONFIG_MAPS);
    const labels = { batch: "list" };
    await Promise.all(
      Array.from({ length: 25 }, async (_, n) =>
        client.create(configMap(`list-${n}`, { n: String(n) }, labels)),
      ),
    );
    const names: string[] = [];
    let next: string | undefined;
    do {
      const page = await client.list({
        namespace: "default",
        labelSelector: "batch=list",
        limit: 10,
        ...(next ? { continue: next } : {}),
      });
      expect(page.items.length).toBeLessThanOrEqual(10);
      names.push(...page.items.map(({ metadata }) => metadata.name ?? ""));
      next = page.metadata.continue;
    } while (next);
    expect(new Set(names).size).toBe(25);

    const streamed: ConfigMap[] = [];
    const meta = await client.listEach({ labelSelector: "batch in (list)" }, (item) => streamed.push(item));
    expect(streamed).toHaveLength(25);
    expect(meta.resourceVersion).toMatch(/^\d+$/);
    expect((await client.list({ fieldSelector: "metadata.name=list-7" })).items).toHaveLength(1);

    const bare = await clients.metadata(CONFIG_MAPS).list({ labelSelector: "batch=list" });
    expect(bare.kind).toBe("PartialObjectMetadataList");
    expect(bare.items).toHaveLength(25);
    expect(bare.items.every((item) => !("data" in item))).toBe(true);
    expect(await clients.metadata(CONFIG_MAPS).get(ref("list-1"))).toMatchObject({
      kind: "PartialObjectMetadata",
    });

    await client.deleteCollection({ namespace: "default", labelSelector: "batch=list" });
    expect((await client.list({ labelSelector: "batch=list" })).items).toEqual([]);
  });

  describe("watches", () => {
    async function take(
      events: AsyncIterable<WatchEvent<ApiObject>>,
      enough: (types: string[]) => boolean,
    ): Promise<WatchEvent<ApiObject>[]> {
      const taken: WatchEvent<ApiObject>[] = [];
      for await (const event of events) {
        taken.push(event);
        if (enough(taken.map(({ type }) => type))) break;
      }
      return taken;
    }

    test.each(["whole", "metadata"])("%s objects, in order, from a version on", async (content) => {
      const client = clients.clientFor(CONFIG_MAPS);
      const name = `watched-${content}`;
      const { metadata } = await client.list({ namespace: "default" });
      const watcher = content === "whole" ? clients.dynamic(CONFIG_MAPS) : clients.metadata(CONFIG_MAPS);
      const watching = take(
        watcher.watch({
          namespace: "default",
          fieldSelector: `metadata.name=${name}`,
          resourceVersion: metadata.resourceVersion ?? "",
        }),
        (types) => types.at(-1) === "DELETED",
      );
      await client.create(configMap(name, { a: "1" }));
      await client.patch(ref(name), { type: "merge", body: { metadata: { labels: { x: "y" } } } });
      await client.delete(ref(name));
      const events = await watching;
      expect(events.map(({ type }) => type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
      expect(events.every(({ object }) => "data" in object === (content === "whole"))).toBe(true);
    });

    test("initial events end with a bookmark", async () => {
      const client = clients.clientFor(CONFIG_MAPS);
      await client.create(configMap("initial"));
      const events = await take(
        client.watch({
          namespace: "default",
          sendInitialEvents: true,
          allowWatchBookmarks: true,
          timeoutSeconds: 60,
        }),
        (types) => types.at(-1) === "BOOKMARK",
      );
      expect(events.some(({ object }) => object.metadata.name === "initial")).toBe(true);
      expect(events.at(-1)?.object.metadata.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
    });

    test("end by themselves after timeoutSeconds", async () => {
      const startMs = performance.now();
      await take(clients.clientFor(CONFIG_MAPS).watch({ timeoutSeconds: 1 }), () => false);
      expect(performance.now() - startMs).toBeLessThan(15_000);
    });
  });

  test("errors say what is wrong, with reason, method and path", async () => {
    const client = clients.clientFor(CONFIG_MAPS);
    await client.create(configMap("twice"));
    const twice = await failure(client.create(configMap("twice")));
    expect(isAlreadyExists(twice)).toBe(true);
    expect(twice).toMatchObject({ code: 409, method: "POST", path: "/api/v1/namespaces/default/configmaps" });
    const invalid = await failure(client.create(configMap("Not_A_Name")));
    expect(isInvalid(invalid)).toBe(true);
    expect(invalid).toMatchObject({ causes: [{ reason: "FieldValueInvalid", field: "metadata.name" }] });
    const strict = { ...configMap("strict"), wrong: 1 };
    expect(await failure(client.create(strict, { fieldValidation: "Strict" }))).toMatchObject({ code: 400 });
    const unknown = clients.dynamic({ ...PODS, group: "no.such", plural: "things" });
    expect(isNotFound(await failure(unknown.list()))).toBe(true);
    const put = clients.rest.json({ method: "PUT", path: "/api/v1/namespaces/default/pods", body: {} });
    expect(isMethodNotSupported(await failure(put))).toBe(true);
  });

  test("warnings of the API server are logged once", async () => {
    const warnings: string[] = [];
    const log: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
    const { rest } = (await connect(server.kubeconfig, { log })).client("warned");
    await rest.json({ method: "GET", path: "/api/v1/componentstatuses" });
    await rest.json({ method: "GET", path: "/api/v1/componentstatuses" });
    expect(warnings).toEqual(["v1 ComponentStatus is deprecated in v1.19+"]);
  });

  test("discovery agrees with itself, aggregated and legacy", async () => {
    const { rest } = clients;
    const surface = await clients.discovery.surface();
    expect(surface.failures.size).toBe(0);
    const { Discovery } = await import("../../pkg/client/discovery.ts");
    const asked: string[] = [];
    const plain = Object.assign(Object.create(rest) as typeof rest, {
      json: async (request: TransportRequest): Promise<unknown> => {
        asked.push(request.path);
        return rest.json({ method: "GET", path: request.path });
      },
    });
    const legacy = await new Discovery(plain).surface();
    expect(asked.length).toBeGreaterThan(10);
    const lines = (resources: typeof surface.resources): string[] =>
      resources
        .map((each) =>
          JSON.stringify([
            each.group,
            each.version,
            each.plural,
            each.kind,
            each.namespaced,
            [...each.verbs].sort(),
            [...each.subresources].sort(),
          ]),
        )
        .sort();
    expect(lines(legacy.resources)).toEqual(lines(surface.resources));
    expect(legacy.groups).toEqual(surface.groups);
    const mapper = new RestMapper(clients.discovery);
    expect(await mapper.resourceOf("apps/v1", "Deployment")).toMatchObject({ ...DEPLOYMENTS });
    const preferred = preferredResources(await clients.discovery.surface());
    expect(preferred.find(({ plural }) => plural === "horizontalpodautoscalers")?.version).toBe("v2");
  });

  describe("identities", () => {
    test("impersonate users and groups", async () => {
      const admin = {
        "client-certificate-data": Buffer.from(server.admin.cert).toString("base64"),
        "client-key-data": Buffer.from(server.admin.key).toString("base64"),
      };
      const path = await server.kubeconfigWith("impersonate", {
        ...admin,
        as: "bob",
        "as-groups": ["readers", "writers, and more"],
      });
      const bob = (await connect(path)).client("test");
      expect(await whoAmI(bob)).toMatchObject({
        username: "bob",
        groups: ["readers", "writers, and more", "system:authenticated"],
      });
      expect(isForbidden(await failure(bob.clientFor(CONFIG_MAPS).list()))).toBe(true);
    });

    test("a token file is trimmed, and read anew when the server rejects the token", async () => {
      const token = join(server.directory, "token-file");
      await writeFile(token, "not-a-token\n");
      const client = (
        await connect(await server.kubeconfigWith("token-file.kubeconfig", { tokenFile: "token-file" }))
      ).client("test");
      expect(isUnauthorized(await failure(whoAmI(client)))).toBe(true);
      await writeFile(token, `${await tokenFor("from-file")}\n`);
      expect((await whoAmI(client)).username).toBe("system:serviceaccount:default:from-file");
    });

    test("an exec plugin is asked again, once, when the server rejects its credential", async () => {
      const plugin = join(server.directory, "plugin");
      const answer = join(server.directory, "plugin-answer");
      const runs = join(server.directory, "plugin-runs");
      await writeFile(
        plugin,
        `#!/bin/sh\necho run >> ${runs}\ncat ${answer}\nsed -i 's/stale/${await tokenFor("by-plugin")}/' ${answer}\n`,
      );
      await chmod(plugin, 0o755);
      const apiVersion = "client.authentication.k8s.io/v1";
      await writeFile(
        answer,
        JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token: "stale" } }),
      );
      const exec = { apiVersion, command: "./plugin", interactiveMode: "Never" };
      const client = (await connect(await server.kubeconfigWith("exec.kubeconfig", { exec }))).client("test");
      expect((await whoAmI(client)).username).toBe("system:serviceaccount:default:by-plugin");
      await whoAmI(client);
      const { readFile } = await import("node:fs/promises");
      expect((await readFile(runs, "utf8")).trim().split("\n")).toHaveLength(2);
    });

    test("each controller is its own service account", async () => {
      const builder = await connect(server.kubeconfig, { serviceAccounts: true });
      expect((await whoAmI(builder.client("job-controller"))).username).toBe(
        "system:serviceaccount:kube-system:job-controller",
      );
      expect((await whoAmI(builder.client("cronjob-controller"))).username).toBe(
        "system:serviceaccount:kube-system:cronjob-controller",
      );
    });
  });
});
