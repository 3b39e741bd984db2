import { asStored } from "../../harness/stored.ts";
import { addInt64 } from "../../../pkg/api/int64.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { daemonSetController } from "../../../controllers/daemonset/controller.ts";
import { computeHash } from "../../../pkg/api/hash.ts";
import { controllerOf, newControllerRef } from "../../../pkg/api/owner-references.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, Toleration } from "../../../pkg/api/types/core-v1.gen.ts";
import { scheduler } from "../../../pkg/cluster/scheduler/scheduler.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import {
  addNode,
  addNodes,
  changeNode,
  changeTemplate,
  clearNodes,
  daemonSet,
  node,
  ON_DELETE,
  ONCE_PLACED,
  revisionsOf,
  rolling,
  surging,
  untilActive,
  untilReady,
  untilUpdated,
} from "./daemon-space.ts";
import { testWhere } from "../../harness/where.ts";

const DESCRIPTORS = [daemonSetController({ workers: 2 }), scheduler()];
/** Nodes are as tainted as a test says. */
const FLAGS = ["--disable-admission-plugins=TaintNodesByCondition"];
const HASH = "controller-revision-hash";

// Names of upstream's functions (test/integration/daemonset) stand in front of each case.
describe.each(clusterKinds)("DaemonSets on the $name API server", ({ name, start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(FLAGS);
  });
  beforeEach(async () => {
    space = await cluster.space();
    space.tend(ONCE_PLACED);
    cluster.run(DESCRIPTORS);
  });
  afterEach(async () => {
    await cluster.stopControllers();
    await clearNodes(space);
  });
  afterAll(async () => cluster.stop());

  describe.each([ON_DELETE, rolling(1)])("with $type", (strategy) => {
    test("OneNodeDaemonLaunchesPod: a node that comes later gets its pod", async () => {
      await space.create(resources.daemonSets, daemonSet("foo", strategy));
      await addNode(space, node("single-node"));
      await untilReady(space, "foo", 1);
    });

    test("SimpleDaemonSetLaunchesPods: so do five", async () => {
      await space.create(resources.daemonSets, daemonSet("foo", strategy));
      await addNodes(space, 0, 5);
      await untilReady(space, "foo", 5);
    });

    test.each([
      ["Succeeded", undefined],
      ["Failed", undefined],
      ["Succeeded", "test.k8s.io/finalizer"],
    ])(
      "SimpleDaemonSetRestartsPodsOnTerminalPhase: a pod that %s is replaced, held or not: %s",
      async (phase, held) => {
        const wanted = daemonSet("foo", strategy);
        const finalizers = held === undefined ? [] : [held];
        const metadata = { ...wanted.spec?.template.metadata, finalizers };
        const { template = {}, selector = {}, ...spec } = wanted.spec ?? {};
        await space.create(resources.daemonSets, {
          ...wanted,
          spec: { ...spec, selector, template: { ...template, metadata } },
        });
        await addNodes(space, 0, 3);
        await untilReady(space, "foo", 3);
        const [first] = await space.pods();
        const name = first?.metadata.name ?? "";
        const body = { status: { phase } };
        const ref = { namespace: space.namespace, name };
        await space.client
          .clientFor(resources.pods)
          .patch(ref, { type: "merge", body }, { subresource: "status" });
        await untilReady(space, "foo", 3);
        expect(await space.find(resources.pods, name)).toEqual(
          held === undefined ? undefined : expect.anything(),
        );
        for (const pod of await space.pods())
          await space.patch(resources.pods, pod.metadata.name ?? "", { metadata: { finalizers: null } });
      },
    );

    test("DaemonSetWithNodeSelectorLaunchesPods: nodes are chosen by labels or by name", async () => {
      const nodeSelectorTerms = [
        { matchExpressions: [{ key: "zone", operator: "In", values: ["test"] }] },
        { matchFields: [{ key: "metadata.name", operator: "In", values: ["node-1"] }] },
      ];
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
      };
      await space.create(resources.daemonSets, daemonSet("foo", strategy, { affinity }));
      await addNodes(space, 0, 2);
      await addNodes(space, 2, 2, { zone: "test" });
      await addNodes(space, 4, 2);
      await untilReady(space, "foo", 3);
      const on = (await space.pods()).map(({ spec }) => spec?.nodeName);
      expect(new Set(on)).toEqual(new Set(["node-1", "node-2", "node-3"]));
    });

    test("NotReadyNodeDaemonDoesLaunchPod: a node need not be ready", async () => {
      await space.create(resources.daemonSets, daemonSet("foo", strategy));
      const conditions = [{ type: "Ready", status: "False" }];
      await addNode(space, { ...node("single-node"), status: { conditions, allocatable: { pods: "100" } } });
      await untilReady(space, "foo", 1);
    });

    test("InsufficientCapacityNode: room is the scheduler's business", async () => {
      const requests = { cpu: "75m", memory: "120M" };
      const containers = [{ name: "foo", image: "bar", resources: { requests } }];
      await space.create(resources.daemonSets, daemonSet("foo", strategy, { containers }));
      const sized = (name: string, memory: string, cpu: string) => {
        const allocatable = { pods: "100", memory, cpu };
        return { ...node(name), status: { allocatable, conditions: [{ type: "Ready", status: "True" }] } };
      };
      await addNode(space, sized("node-with-limited-memory", "100M", "200m"));
      await space.until(
        "the pod cannot be scheduled",
        async () => space.pods(),
        ([pod]) => pod !== undefined && podCondition(pod, "PodScheduled")?.reason === "Unschedulable",
      );
      await addNode(space, sized("node-with-enough-memory", "200M", "2000m"));
      await untilActive(space, 2);
      const { status } = await space.until(
        "one of two is ready",
        async () => space.get(resources.daemonSets, "foo"),
        (owner) => owner.status?.numberReady === 1,
      );
      expect(status).toMatchObject({ desiredNumberScheduled: 2, currentNumberScheduled: 2 });
    });

    test("TaintedNode: a tainted node gets its pod once the taint is gone", async () => {
      await space.create(resources.daemonSets, daemonSet("foo", strategy));
      await addNode(
        space,
        node("node-with-taint", {}, [{ key: "key1", value: "val1", effect: "NoSchedule" }]),
      );
      await addNode(space, node("node-without-taint"));
      await untilReady(space, "foo", 1);
      await changeNode(space, "node-with-taint", (each) => ({ ...each, spec: { ...each.spec, taints: [] } }));
      await untilReady(space, "foo", 2);
    });

    test("UnschedulableNodeDaemonDoesLaunchPod: nor does a node have to be open, or have a network", async () => {
      await space.create(resources.daemonSets, daemonSet("foo", strategy, { hostNetwork: true }));
      const tainted = (name: string) => [{ key: `node.kubernetes.io/${name}`, effect: "NoSchedule" }];
      const closed = node("unschedulable-node", {}, tainted("unschedulable"));
      await addNode(space, { ...closed, spec: { ...closed.spec, unschedulable: true } });
      await addNode(space, node("network-unavailable-node", {}, tainted("network-unavailable")));
      await untilReady(space, "foo", 2);
    });

    // The embedded server has no admission in these tests.
    testWhere(name === "real")(
      "UpdateStatusDespitePodCreationFailure: the status tells of the pods that could be created",
      async () => {
        await space.create(resources.resourceQuotas, {
          metadata: { name: "few" },
          spec: { hard: { pods: "2" } },
        });
        const quotas = space.client.clientFor(resources.resourceQuotas);
        const quota = await quotas.get({ namespace: space.namespace, name: "few" });
        await quotas.updateStatus({ ...quota, status: { hard: { pods: "2" }, used: { pods: "0" } } });
        await space.create(resources.daemonSets, daemonSet("foo", strategy));
        await addNodes(space, 0, 5);
        const { status } = await untilReady(space, "foo", 2);
        expect(status).toMatchObject({ currentNumberScheduled: 2 });
      },
    );
  });

  /** A revision of the DaemonSet under the name that this change of its template would give. */
  async function revisionInTheWay(owner: DaemonSet, seconds: number): Promise<ControllerRevision> {
    const { template = {} } = owner.spec ?? {};
    const containers = template.spec?.containers ?? [];
    const hash = computeHash(
      { ...template, spec: { ...template.spec, containers, terminationGracePeriodSeconds: seconds } },
      owner.status?.collisionCount,
    );
    const [current] = await revisionsOf(space);
    return space.create(resources.controllerRevisions, {
      metadata: {
        name: `${owner.metadata.name}-${hash}`,
        labels: { ...template.metadata?.labels, [HASH]: hash },
        ownerReferences: [newControllerRef(asStored(owner), resources.daemonSets)],
      },
      data: current?.data,
      revision: addInt64(current?.revision ?? 0, 1),
    });
  }

  async function withRevision(): Promise<DaemonSet> {
    await addNode(space, node("single-node"));
    await space.create(resources.daemonSets, daemonSet("foo", rolling(1)));
    await space.until(
      "the revision is there",
      async () => revisionsOf(space),
      (revisions) => revisions.length === 1,
    );
    await untilReady(space, "foo", 1);
    return space.get(resources.daemonSets, "foo");
  }

  test("LaunchWithHashCollision: a revision whose name is taken gets another", async () => {
    const owner = await withRevision();
    await revisionInTheWay(owner, 1);
    await changeTemplate(space, "foo", { terminationGracePeriodSeconds: 1 });
    await space.until(
      "a pod has the new template",
      async () => space.pods(),
      (pods) => pods.some(({ spec }) => spec?.terminationGracePeriodSeconds === 1),
    );
    const { status } = await space.get(resources.daemonSets, "foo");
    expect(status?.collisionCount).toBe((owner.status?.collisionCount ?? 0) + 1);
  });

  test("DSCUpdatesPodLabelAfterDedupCurHistories: of two revisions of one template the later stays", async () => {
    const twin = await revisionInTheWay(await withRevision(), 1);
    const before = await space.pods();
    await addNode(space, node("second-node"));
    await space.until(
      "one is left",
      async () => revisionsOf(space),
      (revisions) => revisions.length === 1,
    );
    await untilReady(space, "foo", 2);
    expect((await revisionsOf(space)).map(({ metadata }) => metadata.name)).toEqual([twin.metadata.name]);
    const pods = await space.pods();
    expect(pods.map(({ metadata }) => metadata.labels?.[HASH])).toEqual(
      pods.map(() => twin.metadata.labels?.[HASH]),
    );
    expect(pods.map(({ metadata }) => metadata.uid)).toContain(before[0]?.metadata.uid);
    expect(pods.map((pod) => controllerOf(pod)?.name)).toEqual(["foo", "foo"]);
  });

  test("DaemonSetRollingUpdateWithTolerations: pods move to other nodes without a gap", async () => {
    const zones = ["zone-y", "zone-y", "zone-z", "zone-z", "zone-common", "zone-common"];
    for (const [index, key] of zones.entries())
      await addNode(space, node(`node-${index}`, {}, [{ key, effect: "NoSchedule" }]));
    const tolerating = (...keys: string[]): readonly Toleration[] =>
      keys.map((key) => ({ key, operator: "Exists" }));
    const tolerated = (pods: readonly Pod[]): readonly string[] => [
      ...new Set(pods.flatMap(({ spec }) => (spec?.tolerations ?? []).map(({ key = "" }) => key))),
    ];
    const settled = async (...keys: string[]): Promise<void> => {
      const nodes = zones.filter((zone) => keys.includes(zone)).length;
      space.tend(ONCE_PLACED);
      await untilUpdated(space, "foo", nodes);
      await untilReady(space, "foo", nodes);
      expect(tolerated(await space.pods()).filter((key) => key.startsWith("zone-"))).toEqual(keys);
    };
    /** Nobody makes new pods ready: what the surge allows is there, and nothing old is gone. */
    const stuckAt = async (count: number): Promise<void> => {
      await untilActive(space, count);
      await space.never("other pods", 500, async () => (await space.pods()).length !== count);
    };

    const tolerations = tolerating("zone-y", "zone-common");
    await space.create(resources.daemonSets, daemonSet("foo", surging(1), { tolerations }));
    await settled("zone-y", "zone-common");
    space.tend(undefined);
    await changeTemplate(space, "foo", { tolerations: tolerating("zone-z", "zone-common") });
    // Four old ones, two on the new nodes, and one beside an old one.
    await stuckAt(7);
    await settled("zone-z", "zone-common");
    space.tend(undefined);
    await changeTemplate(space, "foo", { tolerations: tolerating("zone-y", "zone-z", "zone-common") });
    await stuckAt(7);
    await settled("zone-y", "zone-z", "zone-common");
    await changeTemplate(space, "foo", { tolerations: [] });
    await untilActive(space, 0);
    await untilReady(space, "foo", 0);
  });
});
