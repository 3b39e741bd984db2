import { CoreV1Api, KubeConfig, V1ConfigMap } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ApiObject } from "../../pkg/api/object.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { ConfigMap } from "../../pkg/api/types/core-v1.gen.ts";
import { kubeconfigText } from "../../pkg/client/config/client-node.ts";
import { connect, type Connected } from "../../pkg/client/connect.ts";
import { isNotFound, isTooManyRequests } from "../../pkg/client/errors.ts";
import { defineResource, Kinds, UnknownKindError } from "../../pkg/client/kinds.ts";
import { modelOf } from "../../pkg/client/model.ts";
import { wireOf } from "../../pkg/client/wire.ts";
import { evict, scale, scaleOf, UnexpectedScaleError } from "../../pkg/client/scale.ts";
import { conditionIs, deleted, waitFor } from "../../pkg/client/wait-for.ts";
import { DeadlineError } from "../../pkg/clock/wait.ts";
import { servers, type TestServer } from "../harness/servers.ts";

const namespace = "helpers";
const labels = { app: "a" };
const container = { name: "c", image: "i" };

interface Website extends ApiObject {
  readonly spec: { readonly domain: string };
}
const websites = defineResource<Website>({
  group: "example.com",
  version: "v1",
  plural: "websites",
  kind: "Website",
});

const definition = {
  metadata: { name: "websites.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "websites", kind: "Website" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: { type: "object", properties: { domain: { type: "string" } } } },
          },
        },
      },
    ],
  },
};

describe.each(servers)("helpers of the client, on the $name server", (kind) => {
  let server: TestServer;
  let cluster: Connected;

  beforeAll(async () => {
    server = await kind.start();
    cluster = await connect({ kubeconfig: server.kubeconfig, env: {}, qps: -1 });
    await cluster.clientFor(resources.namespaces).create({ metadata: { name: namespace } });
    await cluster.clientFor(resources.serviceAccounts).create({ metadata: { namespace, name: "default" } });
  });
  afterAll(async () => {
    await cluster.close();
    await server.stop();
  });

  async function deployment(name: string): Promise<void> {
    const object: Deployment = {
      metadata: { namespace, name },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    };
    await cluster.clientFor(resources.deployments).create(object);
  }

  async function pod(name: string): Promise<void> {
    const spec = { containers: [container], nodeName: "n", automountServiceAccountToken: false };
    await cluster.clientFor(resources.pods).create({ metadata: { namespace, name, labels }, spec });
  }

  const setReady = async (name: string, status: "True" | "False"): Promise<unknown> =>
    cluster
      .clientFor(resources.pods)
      .patch(
        { namespace, name },
        { type: "merge", body: { status: { phase: "Running", conditions: [{ type: "Ready", status }] } } },
        { subresource: "status" },
      );

  test("a Deployment is scaled, also only from what it is expected to be", async () => {
    const ref = { namespace, name: "scaled" };
    await deployment("scaled");
    expect((await scale(cluster, resources.deployments, { ...ref, replicas: 5 })).spec?.replicas).toBe(5);
    const again = { ...ref, replicas: 7, currentReplicas: 5 };
    expect((await scale(cluster, resources.deployments, again)).spec?.replicas).toBe(7);
    const wrong = scale(cluster, resources.deployments, again);
    await expect(wrong).rejects.toThrow(UnexpectedScaleError);
    expect((await scaleOf(cluster, resources.deployments, ref)).spec?.replicas).toBe(7);
    await expect(scaleOf(cluster, resources.configMaps, ref)).rejects.toSatisfy(isNotFound);
  });

  test("a pod is evicted, as far as its budget allows", async () => {
    const ref = { namespace, name: "evicted" };
    await pod("evicted");
    await setReady("evicted", "True");
    const budgets = cluster.clientFor(resources.podDisruptionBudgets);
    const budget = {
      metadata: { namespace, name: "b" },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    };
    await budgets.create(budget);
    // At once: nobody waits here for a server that asks for patience.
    await expect(evict(cluster, ref, {}, AbortSignal.timeout(8_000))).rejects.toSatisfy(isTooManyRequests);
    await budgets.delete({ namespace, name: "b" });
    await evict(cluster, ref, { dryRun: true });
    expect((await cluster.clientFor(resources.pods).get(ref)).metadata.deletionTimestamp).toBeUndefined();
    await evict(cluster, ref, { gracePeriodSeconds: 0 });
    await waitFor(cluster, { resource: resources.pods, ref, until: deleted }, { timeoutMs: 30_000 });
  });

  test("a condition is waited for, from what is there already or comes later", async () => {
    const ref = { namespace, name: "waited" };
    const until = conditionIs("Ready");
    const target = { resource: resources.pods, ref, until };
    const waiting = waitFor(cluster, target, { timeoutMs: 60_000 });
    await pod("waited");
    await setReady("waited", "False");
    await setReady("waited", "True");
    expect((await waiting)?.metadata.name).toBe("waited");
    expect((await waitFor(cluster, target))?.status?.phase).toBe("Running");
    // What others come to is nobody's business here.
    await pod("before");
    const other = { resource: resources.pods, ref, until: conditionIs("Ready", "False") };
    await setReady("before", "False");
    await expect(waitFor(cluster, other, { timeoutMs: 200 })).rejects.toThrow(DeadlineError);
    const gone = waitFor(cluster, { resource: resources.pods, ref, until: deleted }, { timeoutMs: 60_000 });
    await cluster.clientFor(resources.pods).delete(ref, { gracePeriodSeconds: 0 });
    expect(await gone).toBeUndefined();
    const stop = AbortSignal.abort(new Error("enough"));
    await expect(waitFor(cluster, target, {}, stop)).rejects.toThrow("enough");
  });

  test("client-node and this client go hand in hand: its KubeConfig, its API classes, its models", async () => {
    const config = new KubeConfig();
    config.loadFromString(kubeconfigText(cluster.access));
    const api = config.makeApiClient(CoreV1Api);
    const object: ConfigMap = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name: "theirs" },
      data: { _from: "here" },
    };
    const theirs = await api.createNamespacedConfigMap({ namespace, body: modelOf(V1ConfigMap, object) });
    const configMaps = cluster.clientFor(resources.configMaps);
    const read = await configMaps.get({ namespace, name: "theirs" });
    expect(read.data).toEqual({ _from: "here" });
    const changed: ConfigMap = { ...wireOf(theirs), data: { _from: "there" } };
    const updated = await configMaps.update(changed);
    expect(updated.metadata.creationTimestamp).toBe(read.metadata.creationTimestamp);
    // What this client has read goes back through its classes, times included.
    const body = modelOf(V1ConfigMap, { ...updated, apiVersion: "v1", kind: "ConfigMap" });
    const replaced = await api.replaceNamespacedConfigMap({ namespace, name: "theirs", body });
    expect(replaced.data).toEqual({ _from: "there" });
    const back = await connect({ access: config, env: {}, qps: -1 });
    expect((await back.clientFor(resources.configMaps).get({ namespace, name: "theirs" })).data).toEqual({
      _from: "there",
    });
    await back.close();
  });

  test("kinds of one's own have clients with types, and manifests are applied whatever their kind", async () => {
    const kinds = new Kinds(cluster);
    const site: Website = {
      apiVersion: "example.com/v1",
      kind: "Website",
      metadata: { namespace, name: "w" },
      spec: { domain: "a.example" },
    };
    await expect(kinds.resourceOf("example.com/v1", "Website")).rejects.toThrow(UnknownKindError);
    const definitions = cluster.clientFor(resources.customResourceDefinitions);
    await definitions.create(definition);
    const ref = { name: definition.metadata.name };
    await waitFor(cluster, {
      resource: resources.customResourceDefinitions,
      ref,
      until: conditionIs("Established"),
    });
    // Asked anew, as it has come since.
    await expect
      .poll(async () => kinds.resourceOf("example.com/v1", "Website").catch(String))
      .toMatchObject(websites);
    await kinds.apply(site, { fieldManager: "test" });
    const stored = await cluster.clientFor(websites).get({ namespace, name: "w" });
    expect(stored.spec.domain).toBe("a.example");
    const config = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name: "c" },
      data: { a: "1" },
    };
    await kinds.apply(config, { fieldManager: "test" });
    expect((await cluster.clientFor(resources.configMaps).get({ namespace, name: "c" })).data).toEqual({
      a: "1",
    });
    // What is registered needs no server that knows it.
    const own = new Kinds(cluster).register(defineResource({ ...websites, version: "v9" }));
    expect(await own.resourceOf("example.com/v9", "Website")).toMatchObject({ plural: "websites" });
  });
});
