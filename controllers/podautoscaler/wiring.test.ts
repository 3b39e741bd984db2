import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { HorizontalPodAutoscaler } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { type ControllerWorld, lineOf, NAMESPACE } from "../../test/harness/controller-world.ts";
import { AutoscalerWorld } from "./autoscaler-world.test-data.ts";

const { horizontalPodAutoscalers } = resources;
const MINUTE = 60_000;

let bench: AutoscalerWorld;
let world: ControllerWorld;
beforeEach(async () => {
  bench = await AutoscalerWorld.make();
  ({ world } = bench);
});
afterEach(async () => world.stop());

describe("an autoscaler is looked at", () => {
  beforeEach(async () => {
    await bench.deploy("web", 2);
    bench.use("web", 900, 2);
  });

  test("at once when it is made, and the target is scaled", async () => {
    await bench.start();
    await bench.autoscale("web");
    await world.run(500);
    expect(await bench.replicasOf("web")).toBe(4);
    expect(world.takeWrites().map(lineOf)).toEqual([
      "update deployments/scale web",
      "update horizontalpodautoscalers/status web",
    ]);
    const { conditions, ...status } = await bench.statusOf("web");
    expect(status).toMatchObject({ currentReplicas: 2, desiredReplicas: 4 });
    expect(status.lastScaleTime).toBeDefined();
    expect(status.currentMetrics).toEqual([
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 90, averageValue: "900m" } },
      },
    ]);
    expect(conditions).toEqual({
      AbleToScale: "True SucceededRescale the HPA controller was able to update the target scale to 4",
      ScalingActive:
        "True ValidMetricFound the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)",
      ScalingLimited: "False DesiredWithinRange the desired count is within the acceptable range",
    });
    expect(await world.events()).toEqual([
      "SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ]);
  });

  test("at once when its spec changes, and not because of its own status", async () => {
    await bench.start();
    await bench.autoscale("web", { minReplicas: 3, maxReplicas: 3 });
    await world.run(500);
    expect(await bench.replicasOf("web")).toBe(3);
    bench.metrics.takeRequests();
    await world.run(1_000);
    expect(bench.metrics.takeRequests()).toEqual([]);
    await world.update<HorizontalPodAutoscaler>(horizontalPodAutoscalers, "web", (one) => ({
      ...one,
      spec: { ...one.spec, maxReplicas: 5, minReplicas: 5 },
    }));
    await world.run(500);
    expect(await bench.replicasOf("web")).toBe(5);
  });

  test("once in a period, and not for what others tell of it", async () => {
    await bench.start();
    await bench.autoscale("web", { maxReplicas: 2 });
    await world.run(20_000);
    bench.metrics.takeRequests();
    await world.update<HorizontalPodAutoscaler>(horizontalPodAutoscalers, "web", (one) => ({
      ...one,
      metadata: { ...one.metadata, annotations: { note: "by somebody" } },
    }));
    await world.run(150_000);
    expect(bench.metrics.takeRequests()).toEqual(
      Array.from(
        { length: 10 },
        () => `GET /apis/metrics.k8s.io/v1beta1/namespaces/${NAMESPACE}/pods?labelSelector=app=web`,
      ),
    );
  });

  test("in its turn when it was there before, and all of them within one period", async () => {
    for (let index = 0; index < 60; index++)
      await bench.autoscale(`a${index}`, {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
      });
    await bench.start({ workers: 5 });
    const looked = async (): Promise<number> => {
      const all = await world.list<HorizontalPodAutoscaler>(horizontalPodAutoscalers);
      return all.filter(({ status }) => (status?.conditions ?? []).length > 0).length;
    };
    expect(await looked()).toBeLessThan(25);
    await world.run(6_000);
    expect(await looked()).toBeGreaterThan(15);
    expect(await looked()).toBeLessThan(50);
    await world.run(7_500);
    expect(await looked()).toBe(60);
  });

  test("in its next turn after a failure, too", async () => {
    await bench.start();
    await bench.autoscale("none");
    await world.run(15_000);
    world.takeWrites();
    await bench.deploy("none", 1);
    bench.use("none", 900, 1);
    await world.run(15_500);
    expect(await bench.replicasOf("none")).toBe(2);
  });
});

test("where there is more to do than can be done, none waits for the next turns of others", async () => {
  const slow = await AutoscalerWorld.make({ qps: 0.4 });
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "none" };
  for (let index = 0; index < 60; index++) await slow.autoscale(`a${index}`, { scaleTargetRef });
  await slow.start({ workers: 5 });
  await slow.world.run(120_000);
  const all = await slow.world.list<HorizontalPodAutoscaler>(horizontalPodAutoscalers);
  const looked = all.filter(({ status }) => (status?.conditions ?? []).length > 0);
  await slow.world.stop();
  expect(looked).toHaveLength(60);
});

describe("the past", () => {
  beforeEach(async () => {
    await bench.deploy("web", 4);
    bench.use("web", 100, 4);
    await bench.start();
  });

  test("holds up scaling down for as long as it was told", async () => {
    await bench.autoscale("web");
    await world.run(4 * MINUTE + 40_000);
    expect(await bench.replicasOf("web")).toBe(4);
    expect((await bench.statusOf("web")).conditions["AbleToScale"]).toContain("ScaleDownStabilized");
    await world.run(40_000);
    expect(await bench.replicasOf("web")).toBe(1);
    expect(await world.events()).toEqual(["SuccessfulRescale New size: 1; reason: All metrics below target"]);
  });

  test("is that of the last recommendations, and not only of the first", async () => {
    bench.use("web", 500, 4);
    await bench.autoscale("web");
    await world.run(8 * MINUTE);
    bench.use("web", 100, 4);
    await world.run(4 * MINUTE + 30_000);
    expect(await bench.replicasOf("web")).toBe(4);
    await world.run(MINUTE);
    expect(await bench.replicasOf("web")).toBe(1);
  });

  test("is that of the very autoscaler, and not of one that had its name", async () => {
    await bench.autoscale("web");
    await world.run(4 * MINUTE);
    await world.delete(horizontalPodAutoscalers, "web");
    await bench.autoscale("web");
    await world.run(2 * MINUTE);
    expect(await bench.replicasOf("web")).toBe(4);
  });

  test("limits the rate of what is scaled", async () => {
    const scaleDown = {
      stabilizationWindowSeconds: 0,
      policies: [{ type: "Pods", value: 1, periodSeconds: 60 }],
    };
    await bench.autoscale("web", { behavior: { scaleDown } });
    await world.run(30_000);
    expect(await bench.replicasOf("web")).toBe(3);
    expect((await bench.statusOf("web")).conditions["ScalingLimited"]).toContain("ScaleDownLimit");
    await world.run(45_000);
    expect(await bench.replicasOf("web")).toBe(2);
  });
});

describe("a target that a user has scaled to nothing", () => {
  test("is left alone, and told of once", async () => {
    await bench.deploy("web", 0);
    await bench.start();
    await bench.autoscale("web");
    await world.run(20_000);
    expect((await bench.statusOf("web")).conditions["ScalingActive"]).toContain("ScalingDisabled");
    const told = world.takeWrites().filter(({ resource }) => resource === "horizontalpodautoscalers/status");
    expect(told).not.toEqual([]);
    // The server keeps no number of 0: a status with one would never be what was sent.
    for (const { body } of told) expect(body).not.toHaveProperty("status.currentReplicas");
    await world.run(MINUTE);
    expect(world.takeWrites()).toEqual([]);
  });
});

describe("pods under two autoscalers", () => {
  beforeEach(async () => {
    await bench.deploy("web", 2);
    bench.use("web", 900, 2);
    await bench.start();
  });

  test("are scaled by neither of them, until one is gone", async () => {
    await bench.autoscale("web", { maxReplicas: 2 });
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
    await bench.autoscale("again", { scaleTargetRef });
    await world.run(30_000);
    const told = `False AmbiguousSelector pods by selector app=web are controlled by multiple HPAs: [${NAMESPACE}/again ${NAMESPACE}/web]`;
    expect((await bench.statusOf("web")).conditions["ScalingActive"]).toBe(told);
    expect((await bench.statusOf("again")).conditions["ScalingActive"]).toBe(told);
    await world.delete(horizontalPodAutoscalers, "web");
    await world.run(16_000);
    expect(await bench.replicasOf("web")).toBe(4);
  });
});

describe("pods that the target does not own", () => {
  beforeEach(async () => {
    await bench.deploy("web", 2);
    bench.use("web", 900, 2);
    for (const name of ["stray-0", "stray-1"]) await bench.addPod(name, { app: "web" });
    bench.use("stray", 10, 2);
  });

  test("are counted as ever, and named", async () => {
    const set = await bench.start();
    await bench.autoscale("web", { maxReplicas: 4 });
    await world.run(500);
    expect((await bench.statusOf("web")).currentMetrics?.[0]?.resource?.current.averageUtilization).toBe(45);
    expect((await bench.statusOf("web")).conditions["ScalingActive"]).toMatch(
      /\(percentage of request\); 2 pods that the target does not own are counted: stray-0, stray-1$/,
    );
    const key = new URLSearchParams({ key: `${NAMESPACE}/web` });
    const history = set.debug("horizontal-pod-autoscaler-controller", "/", key)?.body ?? "";
    expect(history).toMatch(/Pods that the target does not own are counted.*stray-0.*stray-1/);
  });

  test("are left out where that is asked for", async () => {
    await bench.start({ ownedPodsOnly: true });
    await bench.autoscale("web", { maxReplicas: 4 });
    await world.run(500);
    expect((await bench.statusOf("web")).conditions["ScalingActive"]).toMatch(
      /are not counted: stray-0, stray-1$/,
    );
    expect(await bench.replicasOf("web")).toBe(4);
  });
});

describe("what is shown", () => {
  test("is why an autoscaler wants what it wants", async () => {
    await bench.deploy("web", 3);
    bench.use("web", 900, 2);
    const set = await bench.start();
    await bench.autoscale("web");
    await world.run(500);
    const why = (key: string): unknown =>
      JSON.parse(
        set.debug("horizontal-pod-autoscaler-controller", "/why", new URLSearchParams({ key }))?.body ?? "",
      );
    expect(why(`${NAMESPACE}/web`)).toMatchObject({
      autoscaler: `${NAMESPACE}/web`,
      target: "Deployment/web",
      current: 3,
      range: { minimum: 1, maximum: 10 },
      metrics: [
        {
          type: "Resource",
          replicas: 4,
          usage: "900m",
          utilization: 90,
          ratio: 1.8,
          guessedRatio: 1.2,
          why: "usage with guesses",
          pods: { ready: 2, missing: ["web-2"], unready: [], ignored: [] },
        },
      ],
      stabilized: 4,
      limit: { replicas: 4, reason: "DesiredWithinRange" },
      wanted: 4,
      why: "cpu resource utilization (percentage of request) above target",
    });
    expect(why("team/none")).toBeNull();
  });

  test("are how many there are, and what each of them wants", async () => {
    await bench.deploy("web", 2);
    bench.use("web", 900, 2);
    await bench.start();
    await bench.autoscale("web");
    await world.run(500);
    const prefix = "horizontal_pod_autoscaler_controller_";
    const desired = `${prefix}desired_replicas{hpa_name="web",namespace="${NAMESPACE}"} 4`;
    expect(await bench.exposed.expose()).toContain(desired);
    expect(await bench.exposed.expose()).toContain(`${prefix}num_horizontal_pod_autoscalers 1`);
    await world.delete(horizontalPodAutoscalers, "web");
    await world.run(500);
    expect(await bench.exposed.expose()).not.toContain(`${prefix}desired_replicas{`);
    expect(await bench.exposed.expose()).toContain(`${prefix}num_horizontal_pod_autoscalers 0`);
  });
});
