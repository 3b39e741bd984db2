import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { podGarbageCollectorController } from "../../../controllers/podgc/controller.ts";
import { findCondition } from "../../../pkg/api/conditions.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Container, Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { HurriedClock } from "../../harness/hurried-clock.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { pod } from "./workloads.ts";

/** 20 s between rounds become 0.2 s, and 40 s of quarantine 0.4 s. */
const HURRY = 100;
const HELD = { finalizers: ["example.com/hold"] };
const target = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
  observedGeneration: 1,
};

// Names of upstream's functions (test/integration/podgc/podgc_test.go) stand in front of each case.
describe.each(clusterKinds)("the pod garbage collector on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([podGarbageCollectorController({ threshold: 2 })], {
      clock: new HurriedClock(realClock, HURRY),
    });
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test.each<[string, string, boolean]>([
    ["Pending", "Failed", true],
    ["Succeeded", "Succeeded", false],
    ["Failed", "Failed", false],
  ])(
    "PodGcOrphanedPodsWithFinalizer: a pod in phase %s whose node is gone ends as %s",
    async (phase, expected, isTarget) => {
      const node = await createNode("True");
      await createPod({ nodeName: node }, HELD);
      await setPhase(phase);
      await deleteNode(node);
      const { status } = await untilDeleting();
      expect(status?.phase).toBe(expected);
      const condition = findCondition(status?.conditions, "DisruptionTarget");
      if (isTarget) expect(condition).toMatchObject(target);
      else expect(condition).toBeUndefined();
    },
  );

  test.each([
    ["that is held has failed", HELD],
    ["that is not held is gone", {}],
  ])("TerminatingOnOutOfServiceNode: a pod %s", async (_, metadata) => {
    const node = await createNode("False");
    await createPod({ nodeName: node }, metadata);
    await space.delete(resources.pods, "pod", 300);
    await cluster.client.clientFor<Node>(resources.nodes).patch(
      { name: node },
      {
        type: "merge",
        body: { spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }] } },
      },
    );
    const end = await space.until(
      "it has failed, and is gone if nobody holds it",
      async () => space.find<Pod>(resources.pods, "pod"),
      (seen) => (metadata === HELD ? seen?.status?.phase === "Failed" : seen === undefined),
    );
    expect(findCondition(end?.status?.conditions, "DisruptionTarget")).toBeUndefined();
    await deleteNode(node);
  });

  test.each<[string, Partial<Container>]>([
    [
      "variables",
      {
        env: [
          { name: "XYZ", value: "1" },
          { name: "XYZ", value: "2" },
        ],
      },
    ],
    [
      "ports",
      {
        ports: [
          { containerPort: 93, hostPort: 9376 },
          { containerPort: 93, hostPort: 9377 },
        ],
      },
    ],
  ])("PodGcForPodsWithDuplicatedFieldKeys: an orphan with the same %s twice", async (_, change) => {
    await createPod(
      { nodeName: "no-such-node", containers: [{ name: "c", image: "image", ...change }] },
      HELD,
    );
    const { status } = await untilDeleting();
    expect(status?.phase).toBe("Failed");
    expect(findCondition(status?.conditions, "DisruptionTarget")).toMatchObject(target);
  });

  test("finished pods above the threshold go, the oldest first", async () => {
    for (const name of ["a", "b", "c", "d"]) {
      await space.create(resources.pods, pod(name));
      await space.markPod(name, "failed");
      // Creation times have seconds.
      await space.never("nothing", 1_050, async () => false);
    }
    const names = await space.until(
      "two are left",
      async () => (await space.pods()).map(({ metadata }) => metadata.name),
      (seen) => seen.length === 2,
    );
    expect(names).toEqual(["c", "d"]);
  });

  async function createNode(ready: string): Promise<string> {
    const nodes = cluster.client.clientFor<Node>(resources.nodes);
    const made = await nodes.create({ metadata: { generateName: "node-" } });
    const status = { conditions: [{ type: "Ready", status: ready }] };
    await nodes.patch(
      { name: made.metadata.name ?? "" },
      { type: "strategic", body: { status } },
      { subresource: "status" },
    );
    return made.metadata.name ?? "";
  }

  async function deleteNode(name: string): Promise<void> {
    await cluster.client.clientFor<Node>(resources.nodes).delete({ name });
  }

  async function createPod(
    spec: Partial<NonNullable<Pod["spec"]>>,
    metadata: Pod["metadata"],
  ): Promise<void> {
    const made = pod("pod");
    await space.create(resources.pods, {
      ...made,
      metadata: { ...made.metadata, ...metadata },
      spec: { containers: [], ...made.spec, ...spec },
    });
  }

  async function setPhase(phase: string): Promise<void> {
    await space.client
      .clientFor(resources.pods)
      .patch(
        { namespace: space.namespace, name: "pod" },
        { type: "merge", body: { status: { phase } } },
        { subresource: "status" },
      );
  }

  async function untilDeleting(): Promise<Pod> {
    return space.until(
      "it is being deleted",
      async () => space.get<Pod>(resources.pods, "pod"),
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
  }
});
