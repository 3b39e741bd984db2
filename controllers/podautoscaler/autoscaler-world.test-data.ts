import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { createMetrics, type ExposedMetrics } from "../../pkg/metrics/registry.ts";
import {
  type ControllerWorld,
  NAMESPACE,
  newWorld,
  type WorldOptions,
} from "../../test/harness/controller-world.ts";
import { DiscoveryFaults } from "../../test/harness/discovery-faults.ts";
import { FakeMetrics } from "../../test/harness/fake-metrics.ts";
import type { AutoscalerSettings } from "./context.ts";
import { podAutoscalerController } from "./controller.ts";
import { SETTINGS } from "./sync-bench.test-data.ts";

const { horizontalPodAutoscalers, deployments, pods, replicaSets } = resources;
const HOUR = 3_600_000;

type Parts = Pick<AutoscalerWorld, "world" | "metrics" | "exposed" | "discovery">;

/** A world with metrics, in which targets have pods without anybody who makes them. */
export class AutoscalerWorld {
  readonly world: ControllerWorld;
  readonly metrics: FakeMetrics;
  readonly exposed: ExposedMetrics;
  readonly discovery: DiscoveryFaults;

  constructor({ world, metrics, exposed, discovery }: Parts) {
    this.world = world;
    this.metrics = metrics;
    this.exposed = exposed;
    this.discovery = discovery;
  }

  static async make(options: Pick<WorldOptions, "qps"> = {}): Promise<AutoscalerWorld> {
    let nowMs = (): number => 0;
    const discovery = new DiscoveryFaults();
    const fake = new FakeMetrics(() => nowMs());
    const { main } = createMetrics({ version: "1.36.4" });
    const world = await newWorld({
      ...options,
      transport: (server) => fake.over(discovery.over(server)),
      metrics: main,
    });
    nowMs = () => world.clock.nowMs();
    return new AutoscalerWorld({ world, metrics: fake, exposed: main, discovery });
  }

  async start(settings: Partial<AutoscalerSettings> = {}): ReturnType<ControllerWorld["start"]> {
    return this.world.start(podAutoscalerController({ ...SETTINGS, ...settings }));
  }

  /** A Deployment whose pods are there, and ask for a core each. */
  async deploy(name: string, replicas: number): Promise<Deployment> {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: POD_SPEC };
    const deployment = await this.world.create(deployments, {
      metadata: { name },
      spec: { replicas, selector: { matchLabels: labels }, template },
    });
    const owned = await this.world.create<ReplicaSet>(replicaSets, {
      metadata: { name: `${name}-1`, ownerReferences: [ownedBy("Deployment", deployment)] },
      spec: { selector: { matchLabels: labels }, template },
    });
    for (let index = 0; index < replicas; index++)
      await this.addPod(`${name}-${index}`, labels, ownedBy("ReplicaSet", owned));
    return deployment;
  }

  async addPod(
    name: string,
    labels: Record<string, string>,
    owner?: ReturnType<typeof ownedBy>,
  ): Promise<void> {
    const longAgo = formatTime(this.world.clock.nowMs() - HOUR);
    await this.world.createWithStatus<Pod>(pods, {
      metadata: { name, labels, ...(owner && { ownerReferences: [owner] }) },
      spec: POD_SPEC,
      status: {
        phase: "Running",
        startTime: longAgo,
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: longAgo }],
      },
    });
  }

  /** An autoscaler of the Deployment with its name, for half of the CPU. */
  async autoscale(
    name: string,
    spec: Partial<HorizontalPodAutoscalerSpec> = {},
  ): Promise<HorizontalPodAutoscaler> {
    const target = { type: "Utilization", averageUtilization: 50 };
    return this.world.create<HorizontalPodAutoscaler>(horizontalPodAutoscalers, {
      metadata: { name, namespace: NAMESPACE },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: 1,
        maxReplicas: 10,
        metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
        ...spec,
      },
    });
  }

  /** What each of the first pods uses, in thousandths of a core. */
  use(name: string, milli: number, count: number): void {
    for (let index = 0; index < count; index++) this.metrics.cpu.set(`${name}-${index}`, milli);
  }

  async replicasOf(name: string): Promise<number | undefined> {
    return (await this.world.get<Deployment>(deployments, name)).spec?.replicas;
  }

  /** With conditions as "Status Reason Message", by their types. */
  async statusOf(name: string): Promise<ShownStatus> {
    const { status } = await this.world.get<HorizontalPodAutoscaler>(horizontalPodAutoscalers, name);
    const conditions = (status?.conditions ?? []).map(
      ({ type, status: is, reason, message }) => [type, [is, reason, message].join(" ")] as const,
    );
    return { desiredReplicas: 0, ...status, conditions: Object.fromEntries(conditions) };
  }
}

type ShownStatus = Omit<HorizontalPodAutoscalerStatus, "conditions"> & {
  readonly conditions: Readonly<Record<string, string>>;
};

const POD_SPEC = { containers: [{ name: "main", image: "busy:1", resources: { requests: { cpu: "1" } } }] };

function ownedBy(kind: string, { metadata: { name = "", uid = "" } }: Deployment | ReplicaSet) {
  return { apiVersion: "apps/v1", kind, name, uid, controller: true };
}
