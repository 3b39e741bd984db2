import { isPodReady } from "../../../../pkg/api/pod.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import type { Deployment } from "../../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../../pkg/api/types/discovery-v1.gen.ts";
import { realClock } from "../../../../pkg/clock/real.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { PODS_PER_NODE } from "../../../../pkg/cluster/hollow/node-object.ts";
import { follow, type Following } from "../follow.ts";
import { measured } from "../measured.ts";
import { createNamespace, plainDeployment } from "../probe.ts";
import type { Workload } from "../workload.ts";

const PODS = 5_000;
const LIMIT_MS = 600_000;
const NAMESPACE = "load";
/** A rolling update needs a quarter more, and the pods that end are still there. */
const NODES = Math.ceil((PODS * 1.6) / PODS_PER_NODE);
const MIB = 2 ** 20;

export const servicePods: Workload = {
  id: "s-service",
  title: `a Service with ${PODS.toLocaleString("en")} pods, which are replaced`,
  needs: ["deployment-controller", "replicaset-controller", "endpointslice-controller"],
  nodes: NODES,
  rounds: 1,
  figures: {
    seconds: { label: "until all pods are replaced", unit: "s", goal: { bound: "at most", value: 1 } },
    cpu: { label: "CPU for that", unit: "s", goal: { bound: "at most", value: 1 } },
    writes: { label: "writes of slices", unit: "", goal: { bound: "at most", value: 1 } },
    bytes: { label: "bytes of slices written", unit: "MiB", goal: { bound: "at most", value: 1 } },
    median: { label: "from ready to in a slice, p50", unit: "s" },
    slowest: { label: "from ready to in a slice, p99", unit: "s" },
    peak: { label: "peak RSS", unit: "MiB" },
  },
  play: async (stage, start) => {
    const { client } = stage;
    const pods = stage.scaled(PODS);
    const manager = await start();
    await createNamespace(client, NAMESPACE);
    const traffic = new Traffic(client);
    try {
      await client.clientFor(resources.services).create({
        metadata: { namespace: NAMESPACE, name: "web" },
        spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8_080 }] },
      });
      await client.clientFor(resources.deployments).create(plainDeployment(NAMESPACE, "web", pods));
      await traffic.complete(pods, 1);
      traffic.reset();
      const restart = { spec: { template: { metadata: { annotations: { restarted: "yes" } } } } };
      const rolled = await measured(manager, async () => {
        await client
          .clientFor<Deployment>(resources.deployments)
          .patch({ namespace: NAMESPACE, name: "web" }, { type: "strategic", body: restart });
        await traffic.complete(pods, 2);
      });
      const { writes, bytes, seconds } = traffic;
      const sorted = seconds.toSorted((a, b) => a - b);
      const share = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? 0;
      return {
        figures: {
          seconds: rolled.seconds,
          cpu: rolled.cpuSeconds,
          writes,
          bytes: bytes / MIB,
          median: share(0.5),
          slowest: share(0.99),
          peak: manager.usage().peakRssMiB,
        },
        curves: { RSS: manager.rss },
      };
    } finally {
      await traffic.stop();
    }
  },
};

/** What goes to every node of a cluster: slices, and how long after their pods are ready. Times are those of watches. */
class Traffic {
  writes = 0;
  bytes = 0;
  readonly seconds: number[] = [];
  readonly #followings: readonly Following[];
  readonly #readySinceMs = new Map<string, number>();
  readonly #listed = new Set<string>();
  #deployment: Deployment | undefined;

  constructor(client: ClientSet) {
    const options = { namespace: NAMESPACE };
    this.#followings = [
      follow<Pod>(client, resources.pods, options, ({ type, object }) => {
        const name = object.metadata.name ?? "";
        if (type === "DELETED") this.#readySinceMs.delete(name);
        else if (isPodReady(object) && !this.#readySinceMs.has(name)) {
          this.#readySinceMs.set(name, realClock.monotonicMs());
        }
      }),
      follow<EndpointSlice>(client, resources.endpointSlices, options, ({ type, object }) => {
        if (type !== "DELETED") this.#written(object);
      }),
      follow<Deployment>(client, resources.deployments, options, ({ object }) => {
        this.#deployment = object;
      }),
    ];
  }

  reset(): void {
    this.writes = 0;
    this.bytes = 0;
    this.seconds.length = 0;
  }

  /** All pods are of this generation's template, and in slices. */
  async complete(pods: number, generation: number): Promise<void> {
    const isComplete = (): boolean => {
      const { status } = this.#deployment ?? {};
      return (
        status?.observedGeneration === generation &&
        status.replicas === pods &&
        status.updatedReplicas === pods &&
        status.availableReplicas === pods
      );
    };
    const [, slices, deployment] = this.#followings;
    await deployment?.until(`generation ${generation} is available`, isComplete, LIMIT_MS);
    const allListed = (): boolean => [...this.#readySinceMs.keys()].every((name) => this.#listed.has(name));
    await slices?.until("all pods are in slices", allListed, LIMIT_MS);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#followings.map(async (following) => following.stop()));
  }

  #written(slice: EndpointSlice): void {
    this.writes++;
    this.bytes += JSON.stringify(slice).length;
    const nowMs = realClock.monotonicMs();
    for (const { targetRef, conditions } of slice.endpoints ?? []) {
      const name = targetRef?.name ?? "";
      if (conditions?.ready !== true || this.#listed.has(name)) continue;
      this.#listed.add(name);
      // A slice may be seen before the pod that it tells of.
      this.seconds.push((nowMs - (this.#readySinceMs.get(name) ?? nowMs)) / 1_000);
    }
  }
}
