import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { nodeLifecycleController } from "../../../controllers/nodelifecycle/controller.ts";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { findCondition } from "../../../pkg/api/conditions.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { Node, NodeCondition, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import { Kubelets } from "../../harness/kubelets.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { pod } from "./workloads.ts";

const settings = {
  monitorPeriodMs: 200,
  monitorGracePeriodMs: 5_000,
  startupGracePeriodMs: 6_000,
  evictionRate: 100,
  secondaryEvictionRate: 100,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

/** Under its own role, which has no right to Leases: what it reads of them it reads with the caches' rights. */
describe.each(accountClusterKinds)("the node lifecycle controller on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  let kubelets: Kubelets;
  beforeAll(async () => {
    cluster = await start(() => [serviceAccountController()]);
    kubelets = new Kubelets(cluster.client, realClock);
    await kubelets.start();
    space = await cluster.space();
    await space.until(
      "pods can be created",
      async () => space.find(resources.serviceAccounts, "default"),
      (account) => account !== undefined,
    );
    for (const name of ["well-0", "well-1"]) await kubelets.add(node(name, "well"));
    cluster.run([nodeLifecycleController(settings)]);
  });
  afterAll(async () => {
    await kubelets?.stop();
    await cluster?.stop();
  });

  const nodes = (): ReturnType<typeof cluster.client.clientFor<Node>> =>
    cluster.client.clientFor(resources.nodes);

  async function untilTaints(name: string, expected: string): Promise<Node> {
    return space.until(
      `${name} has the taints ${expected || "none"}`,
      async () => nodes().get({ name }),
      (seen) => taintsOf(seen) === expected,
    );
  }

  async function readyPod(name: string, nodeName: string): Promise<void> {
    await space.create<Pod>(resources.pods, {
      ...pod(name),
      spec: { ...pod(name).spec, containers, nodeName },
    });
    const body = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
    await cluster.client
      .clientFor(resources.pods)
      .patch({ namespace: space.namespace, name }, { type: "strategic", body }, { subresource: "status" });
  }

  async function podReady(name: string): Promise<string | undefined> {
    return findCondition((await space.get(resources.pods, name)).status?.conditions, "Ready")?.status;
  }

  test("a node that stops answering is unknown, its pods are not ready; when it answers it is well", async () => {
    await kubelets.add(node("a", "zone-a"));
    await kubelets.add(node("a-2", "zone-a"));
    await untilTaints("a", "");
    await readyPod("p", "a");
    kubelets.silence("a");
    const lost = await untilTaints("a", "unreachable:NoExecute unreachable:NoSchedule");
    expect(lost.spec?.taints?.every(({ timeAdded }) => timeAdded !== undefined)).toBe(true);
    const conditions = (lost.status?.conditions ?? []).map(
      ({ type, status, reason }) => `${type} ${status} ${reason}`,
    );
    expect(conditions.toSorted()).toEqual([
      "DiskPressure Unknown NodeStatusNeverUpdated",
      "MemoryPressure Unknown NodeStatusNeverUpdated",
      "PIDPressure Unknown NodeStatusNeverUpdated",
      "Ready Unknown NodeStatusUnknown",
    ]);
    await space.until(
      "the pod is not ready",
      async () => podReady("p"),
      (ready) => ready === "False",
    );
    const events = await space.until(
      "the pod has an event",
      async () => space.list(resources.events),
      (all) => all.some(({ reason }) => reason === "NodeNotReady"),
    );
    expect(events.find(({ reason }) => reason === "NodeNotReady")).toMatchObject({
      type: "Warning",
      message: "Node is not ready",
      source: { component: "node-controller" },
      involvedObject: { kind: "Pod", name: "p" },
    });
    await kubelets.revive("a");
    await untilTaints("a", "");
    expect(taintsOf(await nodes().get({ name: "a-2" }))).toBe("");
  });

  // upstream: test/integration/node/lifecycle_test.go#TestTaintBasedEvictions, as far as it is about nodes
  test.each([
    ["NodeNotReady", "False", "not-ready:NoExecute not-ready:NoSchedule"],
    ["NodeUnreachable", "Unknown", "unreachable:NoExecute unreachable:NoSchedule"],
  ])("TaintBasedEvictions for %s: a node of which Ready is %s has taints", async (name, status, expected) => {
    const lower = name.toLowerCase();
    const exclude = { "node.kubernetes.io/exclude-disruption": "true" };
    await kubelets.add(node(lower, lower, exclude, [{ type: "Ready", status }]));
    await kubelets.add(node(`${lower}-2`, lower, exclude));
    await untilTaints(lower, expected);
    await untilTaints(`${lower}-2`, "");
  });

  // upstream: test/integration/node/lifecycle_test.go#TestEvictionForNoExecuteTaintAddedByUser, its second case
  test("EvictionForNoExecuteTaintAddedByUser: nobody is evicted by this controller", async () => {
    await kubelets.add(node("tainted", "tainted"));
    await untilTaints("tainted", "");
    await readyPod("stays", "tainted");
    const taints = [{ key: "CustomTaintByUser", effect: "NoExecute" }];
    await nodes().patch({ name: "tainted" }, { type: "merge", body: { spec: { taints } } });
    await space.never("an eviction", 2_000, async () => {
      const { metadata } = await space.get(resources.pods, "stays");
      return metadata.deletionTimestamp !== undefined;
    });
    expect(taintsOf(await nodes().get({ name: "tainted" }))).toBe("CustomTaintByUser:NoExecute");
  });

  test("what a node says becomes taints and labels, and goes with it", async () => {
    const labels = { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" };
    await kubelets.add(
      node("says", "says", labels, [
        { type: "Ready", status: "True" },
        { type: "PIDPressure", status: "True" },
      ]),
    );
    const seen = await untilTaints("says", "pid-pressure:NoSchedule");
    await space.until(
      "it has the old labels",
      async () => nodes().get({ name: "says" }),
      ({ metadata }) => metadata.labels?.["beta.kubernetes.io/arch"] === "arm64",
    );
    expect(seen.metadata.labels?.["kubernetes.io/os"]).toBe("linux");
    await nodes().patch({ name: "says" }, { type: "merge", body: { spec: { unschedulable: true } } });
    await untilTaints("says", "pid-pressure:NoSchedule unschedulable:NoSchedule");
    await kubelets.report("says", [
      { type: "Ready", status: "True" },
      { type: "PIDPressure", status: "False" },
    ]);
    await nodes().patch({ name: "says" }, { type: "merge", body: { spec: { unschedulable: null } } });
    await untilTaints("says", "");
  });

  test("one taint takes the place of the other at once, with a time of its own", async () => {
    await kubelets.add(node("swaps", "swaps"));
    await kubelets.add(node("swaps-2", "swaps"));
    await kubelets.report("swaps", [{ type: "Ready", status: "False" }]);
    const before = await untilTaints("swaps", "not-ready:NoExecute not-ready:NoSchedule");
    kubelets.silence("swaps");
    const after = await untilTaints("swaps", "unreachable:NoExecute unreachable:NoSchedule");
    expect(timeOf(after) > timeOf(before)).toBe(true);
  });

  test("a node that was never heard of is unknown after its time to start", async () => {
    await nodes().create({ metadata: { name: "mute" } });
    const mute = await untilTaints("mute", "unreachable:NoExecute unreachable:NoSchedule");
    const ready = findCondition(mute.status?.conditions, "Ready");
    expect(ready).toMatchObject({
      status: "Unknown",
      reason: "NodeStatusNeverUpdated",
      message: "Kubelet never posted node status.",
      lastHeartbeatTime: mute.metadata.creationTimestamp,
    });
  });

  test("a name that is used again is another node", async () => {
    await kubelets.add(node("again", "again"));
    await untilTaints("again", "");
    kubelets.silence("again");
    await untilTaints("again", "unreachable:NoExecute unreachable:NoSchedule");
    await nodes().delete({ name: "again" });
    await kubelets.add(node("again", "again"));
    const again = await untilTaints("again", "");
    expect(findCondition(again.status?.conditions, "Ready")?.status).toBe("True");
  });

  test("a cluster of which no node answers is not emptied, and is again when one does", async () => {
    await nodes().delete({ name: "mute" });
    const { items } = await nodes().list();
    const names = items.map(({ metadata }) => metadata.name);
    kubelets.silence(...names);
    await space.until(
      "no node is ready, and none is emptied",
      async () => (await nodes().list()).items,
      (all) =>
        all.every(
          (each) =>
            isDown(each) &&
            !taintsOf(each)
              .replace(/Custom\S+/, "")
              .includes("NoExecute"),
        ),
    );
    await space.never("an eviction", 2_000, async () =>
      (await nodes().list()).items.some((each) => taintsOf(each).includes("unreachable:NoExecute")),
    );
    await kubelets.revive("well-0", "well-1");
    await untilTaints("well-0", "");
    await untilTaints("a", "unreachable:NoExecute unreachable:NoSchedule");
    await untilTaints("well-1", "");
  });
});

const containers = [{ name: "main", image: "main" }];

function node(
  name: string,
  zone: string,
  labels: Readonly<Record<string, string>> = {},
  conditions: readonly NodeCondition[] = [{ type: "Ready", status: "True" }],
): Node {
  const now = formatTime(realClock.nowMs());
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  return {
    metadata: { name, labels: { "topology.kubernetes.io/zone": zone, ...labels } },
    status: { conditions: conditions.map((condition) => ({ ...condition, ...times })) },
  };
}

function taintsOf({ spec }: Node): string {
  return (spec?.taints ?? [])
    .map(({ key, effect }) => `${key.replace("node.kubernetes.io/", "")}:${effect}`)
    .toSorted()
    .join(" ");
}

function timeOf({ spec }: Node): string {
  return spec?.taints?.find(({ effect }) => effect === "NoExecute")?.timeAdded ?? "";
}

function isDown({ status }: Node): boolean {
  return findCondition(status?.conditions, "Ready")?.status !== "True";
}
