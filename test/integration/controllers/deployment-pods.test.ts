import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { replicaSetController } from "../../../controllers/replicaset/controller.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import {
  boundTemplate,
  changed,
  countsOf,
  currentOf,
  deployment,
  recreate,
  rolling,
  untilComplete,
  untilCounts,
  untilRevision,
} from "./workloads.ts";
import { servedSince } from "../../harness/where.ts";

const GATE = "DeploymentReplicaSetTerminatingReplicas";
const DESCRIPTORS = [deploymentController({ workers: 5 }), replicaSetController({ workers: 5 })];
const QUIET_MS = 300;

// Pods are bound to a node whose kubelet is slow: they end when a case says so. Names of upstream's functions
// (test/integration/deployment/deployment_test.go) stand in front of each case.
describe.each(servedSince(clusterKinds, 35))(
  "Deployments with pods that take their time to end, on the $name API server",
  ({ start }) => {
    let cluster: ControllerCluster;
    let space: TestSpace;
    beforeAll(async () => {
      cluster = await start();
    });
    beforeEach(async () => {
      space = await cluster.space();
    });
    afterEach(async () => cluster.stopControllers());
    afterAll(async () => cluster.stop());

    test("TerminatingReplicasDeploymentStatus: terminating pods are counted by gate, which may change", async () => {
      await restart(false);
      nodeIs("ready");
      await space.create(
        resources.deployments,
        deployment("web", 6, { ...recreate, template: boundTemplate() }),
      );
      await untilCounts(space, "web", "6 6 6 6 0 -");
      await scaleTo(4, "4 4 4 4 0 -");
      await restart(true);
      await scaleTo(3, "3 3 3 3 0 3");
      await restart(false);
      await scaleTo(2, "2 2 2 2 0 -");
    });

    test.each([
      ["counted", true],
      ["not counted", false],
    ])(
      "RecreateDeploymentForPodReplacement: old pods end before new ones come, terminating ones %s",
      async (_, counted) => {
        const terminating = (count: number): string => (counted ? String(count) : "-");
        await restart(counted);
        nodeIs("ready");
        await space.create(
          resources.deployments,
          deployment("web", 6, { ...recreate, template: boundTemplate() }),
        );
        await untilComplete(space, "web");
        const first = await untilRevision(space, "web", "1");
        nodeIs(undefined);
        await rollTo("deploy2");
        await untilCounts(space, "web", `0 0 0 0 0 ${terminating(6)}`);
        await space.never(
          "new pods beside old ones",
          QUIET_MS,
          async () => (await currentOf(space, "web")) !== undefined,
        );
        await endPods(first.metadata.uid);
        await untilCounts(space, "web", `6 6 0 0 6 ${terminating(0)}`);
        const second = await untilRevision(space, "web", "2");

        await deletePods(second.metadata.uid, 1);
        await untilCounts(space, "web", `6 6 0 0 6 ${terminating(1)}`);
        await scaleTo(7, `7 7 0 0 7 ${terminating(1)}`);
        await scaleTo(5, `5 5 0 0 5 ${terminating(3)}`);
        nodeIs("ready");
        await untilCounts(space, "web", `5 5 5 5 0 ${terminating(3)}`);
        await endPods(second.metadata.uid);
        await untilCounts(space, "web", `5 5 5 5 0 ${terminating(0)}`);
      },
    );

    test.each([
      ["counted", true, 15, 1],
      ["not counted", false, 0, 0],
    ])(
      "RollingUpdateAndProportionalScalingForDeploymentPodReplacement: sizes do not wait for terminating pods, %s",
      async (_, counted, endingFirst, endingSecond) => {
        const terminating = (count: number): string => (counted ? String(count) : "-");
        await restart(counted);
        nodeIs("ready");
        await space.create(
          resources.deployments,
          deployment("web", 100, { ...rolling(20, 0), template: boundTemplate() }),
        );
        await untilComplete(space, "web");
        const first = await untilRevision(space, "web", "1");
        await deletePods(first.metadata.uid, endingFirst);
        await untilCounts(space, "web", `100 100 100 100 0 ${terminating(endingFirst)}`);

        nodeIs(undefined);
        await rollTo("deploy2");
        await untilCounts(space, "web", `120 20 100 100 20 ${terminating(endingFirst)}`);
        const second = await untilRevision(space, "web", "2");
        await deletePods(second.metadata.uid, endingSecond);
        await untilCounts(space, "web", `120 20 100 100 20 ${terminating(endingFirst + endingSecond)}`);

        // 120 and 20 of surge, shared 100 to 20.
        await scaleTo(120, `140 23 100 100 40 ${terminating(endingFirst + endingSecond)}`);
        await expectShares([117, 23]);
        space.tend({ fateOf: () => "ready", hasEnded: () => true });
        await untilComplete(space, "web");
        await expectShares([0, 120]);

        async function expectShares(sizes: readonly number[]): Promise<void> {
          for (const [index, set] of [first, second].entries()) {
            const { spec, metadata } = await space.get(resources.replicaSets, set.metadata.name ?? "");
            expect(spec?.replicas).toBe(sizes[index]);
            expect(metadata.annotations).toEqual({
              "deployment.kubernetes.io/desired-replicas": "120",
              "deployment.kubernetes.io/max-replicas": "140",
              "deployment.kubernetes.io/revision": String(index + 1),
            });
          }
        }
      },
    );

    async function restart(counted: boolean): Promise<void> {
      await cluster.stopControllers();
      cluster.run(DESCRIPTORS, { features: { [GATE]: counted } });
    }

    /** Pods become ready, or stay what they are; none that is being deleted ends by itself. */
    function nodeIs(fate: PodFate | undefined): void {
      space.tend({ fateOf: () => fate, hasEnded: () => false });
    }

    async function scaleTo(replicas: number, counts: string): Promise<void> {
      await space.update(resources.deployments, "web", changed({ replicas }));
      await untilCounts(space, "web", counts);
      expect(countsOf(await space.get(resources.deployments, "web"))).toBe(counts);
    }

    async function rollTo(name: string): Promise<void> {
      const { spec, ...rest } = boundTemplate();
      const containers = [{ name: "c", image: "image-1", env: [{ name, value: "true" }] }];
      await space.update(
        resources.deployments,
        "web",
        changed({ template: { ...rest, spec: { ...spec, containers } } }),
      );
    }

    async function podsOf(uid: string | undefined): Promise<readonly Pod[]> {
      return (await space.pods()).filter((pod) => controllerOf(pod)?.uid === uid);
    }

    /** These begin to end, and take their time. */
    async function deletePods(uid: string | undefined, count: number): Promise<void> {
      const running = (await podsOf(uid)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      for (const { metadata } of running.slice(0, count))
        await space.delete(resources.pods, metadata.name ?? "");
    }

    /** All that are being deleted have ended. */
    async function endPods(uid: string | undefined): Promise<void> {
      for (const { metadata } of await podsOf(uid)) {
        if (metadata.deletionTimestamp !== undefined)
          await space.delete(resources.pods, metadata.name ?? "", 0);
      }
    }
  },
);
