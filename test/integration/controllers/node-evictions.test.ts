import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nodeLifecycleController } from "../../../controllers/nodelifecycle/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { taintEvictionController } from "../../../controllers/tainteviction/controller.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { Node, NodeSpec, Pod, ServiceAccount, Toleration } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { Kubelets } from "../../harness/kubelets.ts";
import type { TestSpace } from "../../harness/test-space.ts";

const settings = {
  monitorPeriodMs: 200,
  monitorGracePeriodMs: 5_000,
  startupGracePeriodMs: 60_000,
  evictionRate: 100,
  secondaryEvictionRate: 100,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

/** The one taints, and the other evicts. Upstream's functions stand in front of each case. */
describe.each(accountClusterKinds)(
  "node lifecycle and taint eviction on the $name API server",
  ({ start }) => {
    let cluster: AccountCluster;
    let space: TestSpace;
    let kubelets: Kubelets;
    let node: string;
    beforeAll(async () => {
      cluster = await start(() => [serviceAccountController()]);
      kubelets = new Kubelets(cluster.client, realClock);
      await kubelets.start();
      // Not all nodes are down, whatever becomes of the others.
      for (const name of ["well-0", "well-1"]) await kubelets.add(newNode(name, { Ready: "True" }));
      cluster.run([nodeLifecycleController(settings), taintEvictionController()]);
    });
    beforeEach(async () => {
      space = await cluster.space();
      node = `node-of-${space.namespace}`;
      await space.until(
        "pods may be made",
        async () => space.find<ServiceAccount>(resources.serviceAccounts, "default"),
        (found) => found !== undefined,
      );
    });
    afterAll(async () => {
      await kubelets?.stop();
      await cluster?.stop();
    });

    const nodes = () => cluster.client.clientFor(resources.nodes);

    async function untilTaints(expected: string, effect = ""): Promise<void> {
      await space.until(
        `the node has the taints ${expected}`,
        async () => nodes().get({ name: node }),
        (seen) => taintsOf(seen, effect) === expected,
      );
    }

    async function addPod(name: string, ...tolerations: readonly Toleration[]): Promise<void> {
      const containers = [{ name: "main", image: "main" }];
      const spec = { nodeName: node, containers, tolerations, terminationGracePeriodSeconds: 1 };
      await space.create<Pod>(resources.pods, {
        metadata: { name, finalizers: ["example.com/hold"] },
        spec,
      });
    }

    async function untilEvicted(name: string): Promise<Pod> {
      return space.until(
        `${name} is evicted`,
        async () => space.get<Pod>(resources.pods, name),
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
      );
    }

    async function neverEvicted(name: string, durationMs = 1_500): Promise<void> {
      await space.never(`${name} is evicted`, durationMs, async () => {
        const pod = await space.get<Pod>(resources.pods, name);
        return pod.metadata.deletionTimestamp !== undefined || isMarked(pod);
      });
    }

    async function toleratesFor(name: string, key: string): Promise<number | bigint | undefined> {
      const { spec } = await space.get<Pod>(resources.pods, name);
      return spec?.tolerations?.find((each) => each.key === `node.kubernetes.io/${key}`)?.tolerationSeconds;
    }

    // upstream: test/integration/node/lifecycle_test.go
    test.each<[string, seconds: number | undefined, told: number, goes: boolean]>([
      ["NodeNotReady and 200 tolerationseconds", 200, 200, false],
      ["NodeNotReady with no pod tolerations", undefined, 300, false],
      ["NodeNotReady and 0 tolerationseconds", 0, 0, true],
    ])("TaintBasedEvictions: %s", async (_, tolerationSeconds, told, goes) => {
      await kubelets.add(newNode(node, { Ready: "False" }));
      const key = "node.kubernetes.io/not-ready";
      const own = { key, operator: "Exists", effect: "NoExecute" } as const;
      await addPod("pod", ...(tolerationSeconds === undefined ? [] : [{ ...own, tolerationSeconds }]));
      await untilTaints("not-ready:NoExecute not-ready:NoSchedule");
      expect(await toleratesFor("pod", "not-ready")).toBe(told);
      if (!goes) return neverEvicted("pod");
      expect(isMarked(await untilEvicted("pod"))).toBe(true);
    });

    test("TaintBasedEvictions: NodeUnreachable, and pods go one after the other as they were told", async () => {
      await kubelets.add(newNode(node, { Ready: "True" }));
      const tolerates = (tolerationSeconds: number): Toleration => ({
        key: "node.kubernetes.io/unreachable",
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds,
      });
      await addPod("now", tolerates(0));
      await addPod("soon", tolerates(4));
      await addPod("later");
      await neverEvicted("now");
      kubelets.silence(node);
      await untilTaints("unreachable:NoExecute unreachable:NoSchedule");
      await untilEvicted("now");
      await neverEvicted("soon");
      await untilEvicted("soon");
      await kubelets.revive(node);
      await untilTaints("");
      await neverEvicted("later");
    });

    // Its third case; the second, without taint eviction, is in node-lifecycle.test.ts.
    test("EvictionForNoExecuteTaintAddedByUser: taint eviction controller started", async () => {
      await kubelets.add(newNode(node, { Ready: "True" }));
      await untilTaints("");
      await addPod("pod");
      const taints = [{ key: "CustomTaintByUser", effect: "NoExecute" }];
      await nodes().patch({ name: node }, { type: "merge", body: { spec: { taints } } });
      expect(isMarked(await untilEvicted("pod"))).toBe(true);
      await untilTaints("CustomTaintByUser:NoExecute");
    });

    // upstream: test/integration/scheduler/taint/taint_test.go, as far as it is not about the scheduler
    test.each<[string, Readonly<Record<string, string>>, NodeSpec, string]>([
      ["not-ready node", { Ready: "False" }, {}, "not-ready"],
      ["unschedulable node", { Ready: "True" }, { unschedulable: true }, "unschedulable"],
      ["memory pressure node", { MemoryPressure: "True", Ready: "True" }, {}, "memory-pressure"],
      ["disk pressure node", { DiskPressure: "True", Ready: "True" }, {}, "disk-pressure"],
      [
        "network unavailable and node is ready",
        { NetworkUnavailable: "True", Ready: "True" },
        {},
        "network-unavailable",
      ],
      [
        "network unavailable and node is not ready",
        { NetworkUnavailable: "True", Ready: "False" },
        {},
        "network-unavailable not-ready",
      ],
      ["pid pressure node", { PIDPressure: "True", Ready: "True" }, {}, "pid-pressure"],
      [
        "multi taints on node",
        { PIDPressure: "True", MemoryPressure: "True", DiskPressure: "True", Ready: "True" },
        {},
        "disk-pressure memory-pressure pid-pressure",
      ],
    ])("TaintNodeByCondition: %s", async (_, conditions, spec, expected) => {
      await kubelets.add({ ...newNode(node, conditions), spec });
      const full = expected.split(" ").map((key) => `${key}:NoSchedule`);
      await untilTaints(full.join(" "), "NoSchedule");
    });
  },
);

function newNode(name: string, conditions: Readonly<Record<string, string>>): Node {
  const now = formatTime(realClock.nowMs());
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const labels = {
    "topology.kubernetes.io/region": "region1",
    "topology.kubernetes.io/zone": "zone1",
    "node.kubernetes.io/exclude-disruption": "true",
  };
  return {
    metadata: { name, labels },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({ type, status, ...times })),
    },
  };
}

/** All of them, or those of one effect. */
function taintsOf({ spec }: Node, effect: string): string {
  return (spec?.taints ?? [])
    .filter((taint) => taint.effect.startsWith(effect))
    .map((taint) => `${taint.key.replace("node.kubernetes.io/", "")}:${taint.effect}`)
    .toSorted()
    .join(" ");
}

function isMarked(pod: Pod): boolean {
  return podCondition(pod, "DisruptionTarget")?.reason === "DeletionByTaintManager";
}
