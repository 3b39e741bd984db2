import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ApiObject } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { HorizontalPodAutoscaler } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { conflict, internal } from "../../pkg/apiserver/server/status-error.ts";
import { scaleOf } from "../../pkg/client/scale.ts";
import { createDefinition, moveDefinition } from "../../test/integration/controllers/custom-resources.ts";
import { type ControllerWorld, NAMESPACE } from "../../test/harness/controller-world.ts";
import { AutoscalerWorld } from "./autoscaler-world.test-data.ts";

const { deployments, horizontalPodAutoscalers, replicaSets } = resources;

let bench: AutoscalerWorld;
let world: ControllerWorld;
beforeEach(async () => {
  bench = await AutoscalerWorld.make();
  ({ world } = bench);
});
afterEach(async () => world.stop());

describe("what cannot be had", () => {
  beforeEach(async () => {
    await bench.deploy("web", 2);
    bench.use("web", 900, 2);
    await bench.start();
  });

  test("is told, with words that people know", async () => {
    bench.metrics.outage = { status: 503, body: "service unavailable" };
    await bench.autoscale("web");
    await world.run(14_000);
    const error =
      "failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server is currently unable to handle the request (get pods.metrics.k8s.io)";
    expect((await bench.statusOf("web")).conditions["ScalingActive"]).toBe(
      `False FailedGetResourceMetric the HPA was unable to compute the replica count: ${error}`,
    );
    expect(await world.events()).toEqual([
      `FailedGetResourceMetric ${error}`,
      `FailedComputeMetricsReplicas invalid metrics (1 invalid out of 1), first error is: failed to get cpu resource metric value: ${error}`,
    ]);
    bench.metrics.outage = undefined;
    await world.run(15_500);
    expect(await bench.replicasOf("web")).toBe(4);
  });

  test.each([
    ["apps/v1", "Nothing", 'no matches for kind "Nothing" in group "apps"'],
    ["apps/v1", "Deployment", 'deployments.apps "none" not found'],
  ])("a target of %s %s", async (apiVersion, kind, error) => {
    await bench.autoscale("other", { scaleTargetRef: { apiVersion, kind, name: "none" } });
    await world.run(500);
    expect((await bench.statusOf("other")).conditions).toEqual({
      AbleToScale: `False FailedGetScale the HPA controller was unable to get the target's current scale: ${error}`,
    });
    expect(await world.events()).toEqual([`FailedGetScale ${error}`]);
  });

  // upstream: horizontal.go#reconcileAutoscaler, #scaleForResourceMappings
  test("a target of a kind of which discovery does not say whether there is one", async () => {
    bench.discovery.stale = "example.com";
    const scaleTargetRef = { apiVersion: "example.com/v1", kind: "Site", name: "one" };
    await bench.autoscale("other", { scaleTargetRef });
    await world.run(500);
    const error = "stale GroupVersion discovery: example.com/v1";
    expect((await bench.statusOf("other")).conditions).toEqual({
      AbleToScale: `False FailedGetScale the HPA controller was unable to get the target's current scale: ${error}`,
    });
    expect(await world.events()).toEqual([`FailedGetScale ${error}`]);
    bench.discovery.stale = undefined;
    await world.run(60_000);
    expect((await bench.statusOf("other")).conditions["AbleToScale"]).toContain("no matches for kind");
  });

  test("a target while the server is away: nothing is said of it before it is back", async () => {
    bench.discovery.isAway = true;
    const scaleTargetRef = { apiVersion: "example.com/v1", kind: "Site", name: "one" };
    await bench.autoscale("other", { scaleTargetRef });
    await world.run(60_000);
    expect((await bench.statusOf("other")).conditions).toEqual({});
    expect(await world.events()).toEqual([]);
    bench.discovery.isAway = false;
    await world.run(60_000);
    expect((await bench.statusOf("other")).conditions["AbleToScale"]).toContain("no matches for kind");
  });

  test("a target in the version in which it was found, when that is not served any more", async () => {
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const kind = await createDefinition(world.client, "Namespaced", "sites", { scale });
    const site = { metadata: { name: "one", namespace: NAMESPACE }, spec: { replicas: 20 } } as ApiObject;
    await world.client.dynamic(kind).create(site);
    const scaleTargetRef = { apiVersion: "sites.example.com/v1", kind: "Sites", name: "one" };
    await bench.autoscale("other", { scaleTargetRef });
    await world.run(500);
    const sizeOf = async (version: string): Promise<number | undefined> =>
      (await scaleOf(world.client, { ...kind, version }, { namespace: NAMESPACE, name: "one" })).spec
        ?.replicas;
    // More than its most.
    expect(await sizeOf("v1")).toBe(10);
    await moveDefinition(world.client, "sites.sites.example.com");
    await world.client
      .dynamic({ ...kind, version: "v2" })
      .patch({ namespace: NAMESPACE, name: "one" }, { type: "merge", body: { spec: { replicas: 15 } } });
    await world.run(31_000);
    expect(await sizeOf("v2")).toBe(10);
    expect((await bench.statusOf("other")).conditions["AbleToScale"]).not.toContain("FailedGetScale");
  });

  // upstream: horizontal.go#computeStatusForResourceMetricGeneric. No server lets such an autoscaler in.
  test.each([
    ["Resource", "resource", "FailedGetResourceMetric", "cpu resource"],
    ["ContainerResource", "containerResource", "FailedGetContainerResourceMetric", "main container"],
  ])("a metric of type %s that wants nothing", async (type, field, reason, what) => {
    const source = { name: "cpu", container: "main", target: { type: "Utilization" } };
    world.keep<HorizontalPodAutoscaler>(horizontalPodAutoscalers, {
      metadata: { name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        maxReplicas: 10,
        metrics: [{ type, [field]: source }],
      },
    });
    await world.run(16_000);
    const error =
      `failed to get ${what} metric value: invalid resource metric source: ` +
      "neither an average utilization target nor an average value (usage) target was set";
    expect((await bench.statusOf("web")).conditions["ScalingActive"]).toContain(`False ${reason} `);
    expect(await bench.replicasOf("web")).toBe(2);
    expect(await world.events()).toContainEqual(expect.stringContaining(error));
  });

  test("a target that is refused", async () => {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "deployments", subresource: "scale" },
      action: { kind: "status", when: "before", error: internal("not now") },
    });
    await bench.autoscale("web");
    await world.run(500);
    expect(await bench.replicasOf("web")).toBe(2);
    expect((await bench.statusOf("web")).conditions["AbleToScale"]).toBe(
      "False FailedUpdateScale the HPA controller was unable to update the target scale: not now",
    );
    expect(await world.events()).toContain(
      "FailedRescale New size: 4; reason: cpu resource utilization (percentage of request) above target; error: not now",
    );
  });

  test("a conflict is none when the second try is taken", async () => {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "deployments", subresource: "scale" },
      times: 2,
      action: { kind: "status", when: "before", error: conflict(deployments, "web", "it was changed") },
    });
    await bench.autoscale("web");
    await world.run(500);
    expect(await bench.replicasOf("web")).toBe(4);
  });

  test("what somebody else has changed meanwhile stays", async () => {
    let isChanged = false;
    world.server.parts.faults.add({
      target: { verb: "update", resource: "deployments", subresource: "scale" },
      action: {
        kind: "interfere",
        run: async () => {
          if (isChanged) return;
          isChanged = true;
          await world.update<Deployment>(deployments, "web", (one) => ({
            ...one,
            metadata: { ...one.metadata, annotations: { note: "by somebody" } },
          }));
        },
      },
    });
    await bench.autoscale("web");
    await world.run(500);
    expect(await bench.replicasOf("web")).toBe(4);
    const { metadata } = await world.get<Deployment>(deployments, "web");
    expect(metadata.annotations).toEqual({ note: "by somebody" });
  });

  test("a target that another one has replaced meanwhile is not scaled", async () => {
    let isReplaced = false;
    world.server.parts.faults.add({
      target: { verb: "update", resource: "deployments", subresource: "scale" },
      action: {
        kind: "interfere",
        run: async () => {
          if (isReplaced) return;
          isReplaced = true;
          await world.delete(deployments, "web");
          const { metadata: _, ...rest } = await world.get<ReplicaSet>(replicaSets, "web-1");
          const { selector, template } = rest.spec ?? expect.fail("no spec");
          await world.create<Deployment>(deployments, {
            metadata: { name: "web" },
            spec: { replicas: 1, selector, template: template ?? {} },
          });
          throw conflict(deployments, "web", "it was changed");
        },
      },
    });
    await bench.autoscale("web", { maxReplicas: 4 });
    await world.run(400);
    expect(isReplaced).toBe(true);
    expect(await bench.replicasOf("web")).toBe(1);
  });

  test("a status that is refused is told, and the sync comes back", async () => {
    world.server.parts.faults.add({
      target: { verb: "update", resource: "horizontalpodautoscalers", subresource: "status" },
      times: 1,
      action: { kind: "status", when: "before", error: internal("not now") },
    });
    await bench.autoscale("web", { maxReplicas: 2 });
    await world.run(500);
    expect((await bench.statusOf("web")).conditions).toEqual({});
    expect(await world.events()).toEqual(["FailedUpdateStatus not now"]);
    await world.run(15_500);
    expect((await bench.statusOf("web")).conditions["AbleToScale"]).toContain("ReadyForNewScale");
  });
});
