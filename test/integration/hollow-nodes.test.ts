import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Node, Pod, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { hollowNodes } from "../../pkg/cluster/hollow/hollow-nodes.ts";
import { clusterKinds, type ControllerCluster } from "../harness/controller-clusters.ts";
import type { TestSpace } from "../harness/test-space.ts";

const NODE = "node-0";
const containers = [{ name: "main", image: "main" }];

// The embedded server admits as the real one does when it has addresses of services to give.
describe.each(clusterKinds)("hollow nodes on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(["--service-cluster-ip-range=10.96.0.0/16"]);
    const node = { metadata: { name: "kube-node-lease" } };
    await cluster.client
      .clientFor(resources.namespaces)
      .create(node)
      .catch((error: unknown) => expect(String(error)).toContain("already exists"));
    cluster.run([hollowNodes({ nodes: 1, leaseRenewMs: 500 })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster?.stop());

  async function untilNode(what: string, holds: (node: Node | undefined) => boolean): Promise<void> {
    const nodes = cluster.client.clientFor(resources.nodes);
    const look = async (): Promise<Node | undefined> => {
      try {
        return await nodes.get({ name: NODE });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    };
    await space.until(what, look, holds);
  }

  function statusOf(node: Node | undefined, type: string): string | undefined {
    return findCondition(node?.status?.conditions, type)?.status;
  }

  async function fail(how: string | null): Promise<void> {
    const body = { metadata: { annotations: { "kcm.dev/fails": how } } };
    await cluster.client.clientFor(resources.nodes).patch({ name: NODE }, { type: "merge", body });
  }

  async function renewTime(): Promise<string | null | undefined> {
    const ref = { namespace: "kube-node-lease", name: NODE };
    return (await cluster.client.clientFor(resources.leases).get(ref)).spec?.renewTime;
  }

  test("are ready without the taint of new nodes, and fail as they are told to", async () => {
    await untilNode(
      "it is ready",
      (node) => statusOf(node, "Ready") === "True" && (node?.spec?.taints ?? []).length === 0,
    );
    await fail("disk-pressure,not-ready");
    await untilNode(
      "it fails",
      (node) => statusOf(node, "DiskPressure") === "True" && statusOf(node, "Ready") === "False",
    );
    await fail(null);
    await untilNode(
      "it is well again",
      (node) => statusOf(node, "DiskPressure") === "False" && statusOf(node, "Ready") === "True",
    );
  });

  test("end their pods when they come back, and not while they are silent", async () => {
    await untilNode("it is ready", (node) => statusOf(node, "Ready") === "True");
    await space.create<Pod>(resources.pods, {
      metadata: { name: "p" },
      spec: { nodeName: NODE, containers },
    });
    const phase = async (): Promise<string | undefined> =>
      (await space.find<Pod>(resources.pods, "p"))?.status?.phase;
    await space.until("it runs", phase, (seen) => seen === "Running");
    await fail("silent");
    await space.untilSteady(renewTime);
    await space.delete(resources.pods, "p", 1);
    await space.never("the pod goes", 2_000, async () => (await phase()) === undefined);
    const before = await renewTime();
    await fail(null);
    await space.until("the pod is gone", phase, (seen) => seen === undefined);
    await space.until("the Lease is renewed", renewTime, (seen) => seen !== before);
  });

  const notReady = "node.kubernetes.io/not-ready";
  const unreachable = "node.kubernetes.io/unreachable";
  const added = (key: string): Toleration => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  });
  const own = (toleration: Toleration): Toleration => ({ operator: "Exists", ...toleration });
  test.each<[string, readonly Toleration[], readonly string[]]>([
    ["nothing", [], [notReady, unreachable]],
    ["something else", [own({ key: "k", effect: "NoExecute" })], [notReady, unreachable]],
    ["a node that is not ready", [own({ key: notReady, effect: "NoExecute" })], [unreachable]],
    [
      "one that is not reached, for a time",
      [own({ key: unreachable, effect: "NoExecute", tolerationSeconds: 5 })],
      [notReady],
    ],
    [
      "one that is not ready, to be scheduled",
      [own({ key: notReady, effect: "NoSchedule" })],
      [notReady, unreachable],
    ],
    ["any effect of one that is not ready", [own({ key: notReady })], [unreachable]],
    ["everything", [own({})], []],
    ["all that keeps from running", [own({ effect: "NoExecute" })], []],
  ])("pods that tolerate %s tolerate nodes that are gone for five minutes", async (_, tolerations, keys) => {
    const spec = { nodeName: "none", containers, tolerations };
    const made = await space.create<Pod>(resources.pods, { metadata: { name: "p" }, spec });
    expect(made.spec?.tolerations ?? []).toEqual([...tolerations, ...keys.map(added)]);
  });
});
