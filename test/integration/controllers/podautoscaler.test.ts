import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { podAutoscalerController } from "../../../controllers/podautoscaler/controller.ts";
import { replicaSetController, replicationController } from "../../../controllers/replicaset/controller.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { V1HorizontalPodAutoscaler } from "../../../pkg/api/types/autoscaling-v1.gen.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  MetricSpec,
} from "../../../pkg/api/types/autoscaling-v2.gen.ts";
import type { ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { FakeMetrics } from "../../harness/fake-metrics.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { createDefinition } from "./custom-resources.ts";

const { deployments, horizontalPodAutoscalers, replicationControllers } = resources;
const LABELS = { app: "web" };
const SETTINGS = {
  workers: 2,
  syncPeriodMs: 1_000,
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  // Pods here are ready at once, and measured from before that.
  cpuInitializationPeriodMs: 0,
  initialReadinessDelayMs: 0,
  ownedPodsOnly: false,
};

const template = {
  metadata: { labels: LABELS },
  spec: { containers: [{ name: "main", image: "busy:1", resources: { requests: { cpu: "100m" } } }] },
};
const ofDeployment = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const cpu: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};
/** Down at once. */
const down = { scaleDown: { stabilizationWindowSeconds: 0 } };

describe.each(clusterKinds)("autoscalers of the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  const metrics = new FakeMetrics(() => realClock.nowMs());
  /** What each pod uses, in thousandths of a core; undefined: nothing is known of it. */
  let usage: number | undefined;
  beforeAll(async () => {
    cluster = await start([], (server) => metrics.over(server));
    cluster.run([
      deploymentController({ workers: 2 }),
      replicaSetController({ workers: 2 }),
      replicationController({ workers: 2 }),
      podAutoscalerController(SETTINGS),
    ]);
  });
  afterAll(async () => cluster.stop());
  beforeEach(async () => {
    metrics.cpu.clear();
    metrics.custom.clear();
    metrics.external.clear();
    usage = undefined;
    space = await cluster.space();
    space.tend({ fateOf: () => "ready" });
  });

  async function deploy(replicas: number): Promise<void> {
    await space.create<Deployment>(deployments, {
      metadata: { name: "web" },
      spec: { replicas, selector: { matchLabels: LABELS }, template },
    });
  }

  async function autoscale(spec: Partial<HorizontalPodAutoscalerSpec> = {}): Promise<void> {
    await space.create<HorizontalPodAutoscaler>(horizontalPodAutoscalers, {
      metadata: { name: "web", namespace: space.namespace },
      spec: { scaleTargetRef: ofDeployment, minReplicas: 1, maxReplicas: 6, metrics: [cpu], ...spec },
    });
  }

  async function measurePods(): Promise<void> {
    const pods = await space.pods();
    // The kubelet of these tests does not say when pods have started.
    for (const { metadata, status } of pods.filter((pod) => pod.status?.startTime === undefined)) {
      const body = { status: { startTime: metadata.creationTimestamp } };
      const ref = { namespace: space.namespace, name: metadata.name ?? "" };
      if (status?.phase === "Running")
        await cluster.client
          .clientFor(resources.pods)
          .patch(ref, { type: "merge", body }, { subresource: "status" });
    }
    // At no time is there less than what was measured last.
    metrics.cpu.clear();
    if (usage !== undefined) for (const { metadata } of pods) metrics.cpu.set(metadata.name ?? "", usage);
  }

  async function untilScaled(to: number): Promise<void> {
    await space.until(
      `there are ${to} pods, and the status says so`,
      async () => {
        await measurePods();
        const { status } = await space.get<HorizontalPodAutoscaler>(horizontalPodAutoscalers, "web");
        const { currentReplicas, desiredReplicas, conditions } = status ?? {};
        return { currentReplicas, desiredReplicas, pods: (await space.pods()).length, conditions };
      },
      ({ currentReplicas, desiredReplicas, pods }) =>
        [currentReplicas, desiredReplicas, pods].every((each) => each === to),
    );
  }

  async function untilCondition(type: string, reason: string): Promise<string> {
    const found = await space.until(
      `${type} because of ${reason}`,
      async () => {
        const { status } = await space.get<HorizontalPodAutoscaler>(horizontalPodAutoscalers, "web");
        return status?.conditions?.find((each) => each.type === type);
      },
      (condition) => condition?.reason === reason,
    );
    return found?.message ?? "";
  }

  test("a Deployment grows with its load, to its limit, and shrinks with it", async () => {
    usage = 90;
    await deploy(2);
    await autoscale({ behavior: down });
    await untilScaled(6);
    expect(await untilCondition("ScalingLimited", "TooManyReplicas")).toBe(
      "the desired replica count is more than the maximum replica count",
    );
    usage = 20;
    await untilScaled(1);
    const told = (await space.list(resources.events)).map(({ reason, message }) => `${reason} ${message}`);
    const grown = told.filter((each) =>
      each.includes("cpu resource utilization (percentage of request) above"),
    );
    expect(grown.length).toBeGreaterThan(0);
    expect(told).toContainEqual(
      expect.stringMatching(/^SuccessfulRescale New size: \d; reason: All metrics below target$/),
    );
  });

  test("a target comes after its autoscaler", async () => {
    usage = 90;
    await autoscale({ maxReplicas: 2 });
    expect(await untilCondition("AbleToScale", "FailedGetScale")).toBe(
      'the HPA controller was unable to get the target\'s current scale: deployments.apps "web" not found',
    );
    await deploy(1);
    await untilScaled(2);
  });

  test("nothing is scaled while nothing is measured", async () => {
    await deploy(2);
    await autoscale();
    expect(await untilCondition("ScalingActive", "FailedGetResourceMetric")).toContain(
      "no metrics returned from resource metrics API",
    );
    expect((await space.get<Deployment>(deployments, "web")).spec?.replicas).toBe(2);
    usage = 90;
    await untilScaled(6);
  });

  test("a ReplicationController is scaled by a metric of its pods, and by what is outside", async () => {
    await space.create<ReplicationController>(replicationControllers, {
      metadata: { name: "web" },
      spec: { replicas: 1, selector: LABELS, template },
    });
    metrics.external.set("queue", [3_000, 3_000]);
    await autoscale({
      scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "web" },
      metrics: [
        {
          type: "External",
          external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "2" } },
        },
      ],
    });
    await untilScaled(3);
    const { status } = await space.get<HorizontalPodAutoscaler>(horizontalPodAutoscalers, "web");
    expect(status?.currentMetrics).toEqual([
      { type: "External", external: { metric: { name: "queue" }, current: { averageValue: "2" } } },
    ]);
  });

  test("a Deployment is scaled by a metric of another object", async () => {
    await deploy(1);
    metrics.custom.set("services/front/qps", { front: 40_000 });
    await autoscale({
      metrics: [
        {
          type: "Object",
          object: {
            describedObject: { apiVersion: "v1", kind: "Service", name: "front" },
            metric: { name: "qps" },
            target: { type: "AverageValue", averageValue: "10" },
          },
        },
      ],
    });
    await untilScaled(4);
  });

  test("a custom resource is scaled as soon as its kind is known", async () => {
    const scale = {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    };
    const kind = await createDefinition(cluster.client, "Namespaced", undefined, { status: {}, scale });
    const client = cluster.client.dynamic(kind);
    const { namespace } = space;
    const made = await client.create({
      metadata: { name: "web", namespace },
      spec: { replicas: 2 },
    } as ApiObject);
    await client.updateStatus({ ...made, status: { replicas: 2, selector: "app=web" } } as ApiObject);
    metrics.external.set("queue", [9_000]);
    await autoscale({
      scaleTargetRef: { apiVersion: `${kind.group}/v1`, kind: kind.kind, name: "web" },
      metrics: [
        {
          type: "External",
          external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "3" } },
        },
      ],
    });
    const scaled = await space.until(
      "it is scaled",
      async () => (await client.get({ namespace, name: "web" })) as { spec?: { replicas?: number } },
      ({ spec }) => spec?.replicas === 3,
    );
    expect(scaled.spec).toEqual({ replicas: 3 });
  });

  test("two autoscalers of the same pods are both told so", async () => {
    usage = 90;
    await deploy(2);
    await autoscale({ maxReplicas: 2 });
    await untilScaled(2);
    await space.create<HorizontalPodAutoscaler>(horizontalPodAutoscalers, {
      metadata: { name: "again", namespace: space.namespace },
      spec: { scaleTargetRef: ofDeployment, maxReplicas: 6, metrics: [cpu] },
    });
    expect(await untilCondition("ScalingActive", "AmbiguousSelector")).toBe(
      `pods by selector app=web are controlled by multiple HPAs: [${space.namespace}/again ${space.namespace}/web]`,
    );
    expect(await space.pods()).toHaveLength(2);
  });

  test("one of autoscaling/v1 has in annotations what that does not know", async () => {
    usage = 90;
    await deploy(2);
    const made: V1HorizontalPodAutoscaler = {
      metadata: { name: "web", namespace: space.namespace },
      spec: { scaleTargetRef: ofDeployment, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
    };
    await space.create<V1HorizontalPodAutoscaler>(resources.horizontalPodAutoscalersV1, made);
    await untilScaled(3);
    const { metadata, status } = await space.until(
      "the status has the load",
      async () => {
        await measurePods();
        return space.get<V1HorizontalPodAutoscaler>(resources.horizontalPodAutoscalersV1, "web");
      },
      (seen) => seen.status?.currentCPUUtilizationPercentage === 90,
    );
    expect(status).toMatchObject({ currentReplicas: 3, desiredReplicas: 3 });
    const conditions = metadata.annotations?.["autoscaling.alpha.kubernetes.io/conditions"] ?? "[]";
    expect((JSON.parse(conditions) as { type: string }[]).map(({ type }) => type)).toEqual([
      "AbleToScale",
      "ScalingActive",
      "ScalingLimited",
    ]);
  });
});
