import { afterEach, beforeEach, expect, test } from "vitest";
import { type TestCluster, testCluster } from "../../../cmd/testing/index.ts";
import { resources } from "../../../pkg/api/resources.ts";

const { deployments, horizontalPodAutoscalers, services } = resources;
const labels = { app: "web" };

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await testCluster({ nodes: 2 });
  await cluster.create(deployments, {
    metadata: { name: "web" },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "main", image: "busy:1", resources: { requests: { cpu: "200m" } } }] },
      },
    },
  });
  await cluster.create(services, {
    metadata: { name: "web", annotations: { "kcm.dev/spread-cpu": "100m..1/5m" } },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  // As `kubectl autoscale deployment web --cpu-percent=50 --max=12` has it.
  await cluster.create(resources.horizontalPodAutoscalersV1, {
    metadata: { name: "web", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 12,
      targetCPUUtilizationPercentage: 50,
    },
  });
});
afterEach(async () => cluster.stop());

async function replicas(): Promise<number> {
  return (await cluster.get(deployments, "web")).status?.readyReplicas ?? 0;
}

test("a Deployment grows with the load that its pods share, and shrinks when that goes", async () => {
  await cluster.pass(60_000);
  expect(await replicas()).toBeLessThan(4);
  // A core, shared by pods that are to use 100m each.
  await cluster.pass(15 * 60_000);
  expect(await replicas()).toBe(10);
  const { status } = await cluster.get(horizontalPodAutoscalers, "web");
  expect(status?.currentMetrics?.[0]?.resource?.current).toEqual({
    averageUtilization: 50,
    averageValue: "100m",
  });
  const service = await cluster.get(services, "web");
  await cluster.client.clientFor(services).update({
    ...service,
    metadata: { ...service.metadata, annotations: { "kcm.dev/spread-cpu": "100m" } },
  });
  await cluster.pass(4 * 60_000);
  expect(await replicas()).toBe(10);
  await cluster.pass(3 * 60_000);
  expect(await replicas()).toBe(1);
});

test("a Deployment follows what users set: a metric of an object, and one of something outside", async () => {
  await cluster.client
    .clientFor(services)
    .patch(
      { namespace: "default", name: "web" },
      { type: "merge", body: { metadata: { annotations: { "kcm.dev/metric.qps": "30" } } } },
    );
  await cluster.create(resources.configMaps, {
    metadata: { name: "external-metrics" },
    data: { queue: '{queue="a"} 50\n{queue="b"} 4' },
  });
  const hpa = await cluster.get(horizontalPodAutoscalers, "web");
  const metric = { name: "queue", selector: { matchLabels: { queue: "b" } } };
  await cluster.client.clientFor(horizontalPodAutoscalers).update({
    ...hpa,
    spec: {
      ...hpa.spec,
      metrics: [
        {
          type: "Object",
          object: {
            describedObject: { apiVersion: "v1", kind: "Service", name: "web" },
            metric: { name: "qps" },
            target: { type: "AverageValue", averageValue: "10" },
          },
        },
        { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "2" } } },
      ],
    },
  });
  await cluster.pass(30_000);
  expect(await replicas()).toBe(3);
  expect((await cluster.get(horizontalPodAutoscalers, "web")).status?.currentMetrics).toMatchObject([
    { object: { current: { averageValue: "10" } } },
    { external: { current: { averageValue: "1334m" } } },
  ]);
});
