import { createHash } from "node:crypto";
import { afterEach, describe, expect, test } from "vitest";
import { resources } from "../../../pkg/api/resources.ts";
import { badRequest, internal, notFound } from "../../../pkg/apiserver/server/status-error.ts";
import { createMetrics } from "../../../pkg/metrics/registry.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../../test/harness/controller-world.ts";
import { type FakeAnswer, FakeTransport } from "../../../test/harness/fake-transport.ts";
import { authorityPair } from "../../../test/harness/signing-files.ts";
import { trustBundlePublisherController } from "./controller.ts";

const SIGNER = "kubernetes.io/kube-apiserver-serving";
const features = { ClusterTrustBundle: true };
const V1BETA1 = "certificates.k8s.io/v1beta1";
const V1ALPHA1 = "certificates.k8s.io/v1alpha1";
const { clusterTrustBundles } = resources;
const { main: metrics } = createMetrics({ version: "1.36.4" });
const { cert } = authorityPair({ nowMs: Date.UTC(2026, 0, 1), livesMs: 10 ** 12 });
const NAME = `kubernetes.io:kube-apiserver-serving:${createHash("sha256").update(cert).digest("hex").slice(0, 24)}`;

let world: ControllerWorld;
afterEach(async () => world.stop());

async function start(runtimeConfig: readonly string[] = [V1BETA1], rootCa = cert): Promise<void> {
  metrics.reset();
  world = await newWorld({ features, runtimeConfig, metrics });
  await world.start(trustBundlePublisherController({ rootCa: () => rootCa }));
}
const linesOf = (): readonly string[] => world.takeWrites().map((write) => decodeURIComponent(lineOf(write)));

describe("the bundle of the API server", () => {
  test("is published, and again when it is deleted or changed", async () => {
    await start();
    expect(linesOf()).toEqual(["create clustertrustbundles"]);
    const bundle = await world.get(clusterTrustBundles, NAME);
    expect(bundle.spec).toEqual({ signerName: SIGNER, trustBundle: cert });
    await world.delete(clusterTrustBundles, NAME);
    await world.run();
    expect(linesOf()).toEqual(["create clustertrustbundles"]);
    const other = authorityPair({ nowMs: world.clock.nowMs() }).cert;
    await world.update(clusterTrustBundles, NAME, (found) => ({
      ...found,
      spec: { ...found.spec, trustBundle: other },
    }));
    await world.run();
    expect(linesOf()).toEqual([`update clustertrustbundles ${NAME}`]);
    expect((await world.get(clusterTrustBundles, NAME)).spec.trustBundle).toBe(cert);
  });

  test("is the only one of its signer: those of former certificates go, by their uids, and those of others stay", async () => {
    world = await newWorld({ features, runtimeConfig: [V1BETA1] });
    for (const [name, signerName] of [
      ["kubernetes.io:kube-apiserver-serving:old", SIGNER],
      ["a.example:b:c", "a.example/b"],
    ] as const)
      world.keep(clusterTrustBundles, { metadata: { name }, spec: { signerName, trustBundle: cert } });
    await world.start(trustBundlePublisherController({ rootCa: () => cert }));
    const writes = world.takeWrites();
    expect(writes.map((write) => decodeURIComponent(lineOf(write)))).toEqual([
      "create clustertrustbundles",
      "delete clustertrustbundles kubernetes.io:kube-apiserver-serving:old",
    ]);
    expect(writes[1]?.body).toMatchObject({
      preconditions: { uid: "uid-kubernetes.io:kube-apiserver-serving:old" },
    });
    expect((await world.list(clusterTrustBundles)).map(({ metadata }) => metadata.name)).toEqual([
      "a.example:b:c",
      NAME,
    ]);
  });

  test("is there though a former one cannot be deleted, which keeps no other and is tried again", async () => {
    world = await newWorld({ features, runtimeConfig: [V1BETA1] });
    const [first, second] = ["a", "b"].map((end) => `kubernetes.io:kube-apiserver-serving:${end}`);
    for (const name of [first, second])
      world.keep(clusterTrustBundles, {
        metadata: { name: name ?? "" },
        spec: { signerName: SIGNER, trustBundle: cert },
      });
    const repair = world.server.parts.faults.add({
      target: { verb: "delete", resource: "clustertrustbundles", name: first ?? "" },
      action: { kind: "status", when: "before", error: internal("no") },
    });
    await world.start(trustBundlePublisherController({ rootCa: () => cert }));
    const names = async () =>
      new Set((await world.list(clusterTrustBundles)).map(({ metadata }) => metadata.name));
    expect(await names()).toEqual(new Set([NAME, first]));
    repair();
    await world.run(10_000);
    expect(await names()).toEqual(new Set([NAME]));
  });

  test("is published in the version that is served", async () => {
    await start([V1ALPHA1]);
    expect(linesOf()).toEqual(["create clustertrustbundles"]);
    expect((await world.get(resources.clusterTrustBundlesV1alpha1, NAME)).spec.trustBundle).toBe(cert);
  });

  test("is not published where no version is served, nor without certificates", async () => {
    await start([]);
    await world.run(120_000);
    expect(linesOf()).toEqual([]);
    await world.stop();
    await start([V1BETA1], "");
    await world.run(120_000);
    expect(linesOf()).toEqual([]);
  });

  const nothing = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items: [] };
  test.each<[string, FakeAnswer]>([
    ["cannot be asked", { status: 500, body: { kind: "Status", code: 500, message: "down" } }],
    [
      "does not serve them",
      {
        body: nothing,
        headers: { "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
      },
    ],
  ])("is published within half a minute where the server %s at first", async (_, answer) => {
    let isEarly = true;
    const early = new FakeTransport(() => answer);
    world = await newWorld({
      features,
      runtimeConfig: [V1BETA1],
      transport: (server) => ({
        send: async (request, signal) =>
          (isEarly && request.path === "/apis" ? early : server).send(request, signal),
        close: async () => server.close(),
      }),
    });
    await world.start(trustBundlePublisherController({ rootCa: () => cert }));
    expect(linesOf()).toEqual([]);
    isEarly = false;
    await world.run(30_000);
    expect(linesOf()).toEqual(["create clustertrustbundles"]);
  });
});

// upstream: pkg/controller/certificates/clustertrustbundlepublisher/metrics_test.go#TestSyncCounter
describe("syncs are counted by the answer", () => {
  test.each([
    ["404", notFound(clusterTrustBundles, "x")],
    ["400", badRequest("bad request!")],
    ["500", internal("test")],
  ])("%s", async (code, error) => {
    metrics.reset();
    world = await newWorld({ features, runtimeConfig: [V1BETA1], metrics });
    world.server.parts.faults.add({
      target: { verb: "create", resource: "clustertrustbundles" },
      action: { kind: "status", when: "before", error },
      times: 1,
    });
    await world.start(trustBundlePublisherController({ rootCa: () => cert }));
    await world.run(10_000);
    const text = await metrics.expose();
    expect(text).toContain(`clustertrustbundle_publisher_sync_total{code="${code}"} 1`);
    expect(text).toContain(`clustertrustbundle_publisher_sync_duration_seconds_count{code="${code}"} 1`);
    expect(text).toMatch(/clustertrustbundle_publisher_sync_total\{code="200"\} [1-9]/);
    expect(await world.list(clusterTrustBundles)).toHaveLength(1);
  });
});
