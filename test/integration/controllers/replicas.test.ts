import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  replicaSetController,
  replicationController as replicationControllers,
} from "../../../controllers/replicaset/controller.ts";
import { type ApiObject, type OwnerReference } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { type OwnerSpec, terminatingOf, twins, withSpec } from "./twins.ts";
import { boundTemplate, LABELS, pod, template } from "./workloads.ts";
import { serverMinor } from "../../harness/real-programs.ts";
import { testWhere } from "../../harness/where.ts";

const DESCRIPTORS = [replicaSetController({ workers: 5 }), replicationControllers({ workers: 5 })];
const HELD = "example.com/hold";

const suites = clusterKinds.flatMap((cluster) => twins.map((twin) => ({ ...cluster, ...twin })));

// Names of upstream's functions (test/integration/replicaset and test/integration/replicationcontroller, which are the
// same where both have them) stand in front of each case.
describe.each(suites)(
  "$kind on the $name API server",
  ({ name, start, kind, apiVersion, resource, make }) => {
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

    describe("Adoption: a pod", () => {
      const own = (uid: string): OwnerReference => ({ apiVersion, kind, name: "owner", uid });
      const other: OwnerReference = {
        apiVersion,
        kind,
        name: "another",
        uid: "5ba5a7a5-0000-4000-8000-000000000001",
        controller: true,
      };
      const managed = { controller: true, blockOwnerDeletion: true };
      test.each<
        [string, (uid: string) => readonly OwnerReference[], (uid: string) => readonly OwnerReference[]]
      >([
        [
          "that it owns and does not manage is adopted",
          (uid) => [own(uid)],
          (uid) => [{ ...own(uid), ...managed }],
        ],
        ["of nobody is adopted", () => [], (uid) => [{ ...own(uid), ...managed }]],
        [
          "that it manages stays as it is",
          (uid) => [{ ...own(uid), controller: true }],
          (uid) => [{ ...own(uid), controller: true }],
        ],
        ["that another manages stays as it is", (uid) => [other, own(uid)], (uid) => [other, own(uid)]],
      ])("%s", async (_, before, after) => {
        const owner = await space.create(resource, make("owner", 1));
        const uid = owner.metadata.uid ?? "";
        await space.create(resources.pods, {
          ...pod("pod"),
          metadata: { ...pod("pod").metadata, ownerReferences: before(uid) },
        });
        cluster.run(DESCRIPTORS);
        await untilStatus("owner", "1");
        expect((await space.get(resources.pods, "pod")).metadata.ownerReferences ?? []).toEqual(after(uid));
      });
    });

    testWhere(kind === "ReplicaSet")("RSSelectorImmutability: the selector cannot be changed", async () => {
      await space.create(resource, make("owner", 0));
      const other = { app: "other" };
      const change = space.update(resources.replicaSets, "owner", (owner) => ({
        ...owner,
        spec: { ...owner.spec, selector: { matchLabels: other }, template: template({}, other) },
      }));
      await expect(change).rejects.toThrow(/Invalid value.*field is immutable/);
    });

    test("SpecReplicasChange: pods follow each change of the size, and the status each of the spec", async () => {
      cluster.run(DESCRIPTORS);
      await space.create(resource, make("owner", 2));
      for (const replicas of [2, 3, 0, 2]) await scaleTo(replicas);
      const { metadata } = await update((spec) => ({
        ...spec,
        template: { ...template(), metadata: { labels: LABELS, annotations: { test: "annotation" } } },
      }));
      await space.until(
        "the last spec is seen",
        async () => (await space.get(resource, "owner")).status?.observedGeneration ?? 0,
        (observed) => observed >= (metadata.generation ?? 0),
      );
    });

    test("DeletingAndFailedPods: both are replaced, and stay", async () => {
      cluster.run(DESCRIPTORS);
      await space.create(resource, make("owner", 2));
      await untilStatus("owner", "2");
      const [deleting = "", failed = ""] = await podNames();
      await space.patch(resources.pods, deleting, { metadata: { finalizers: [HELD] } });
      await space.delete(resources.pods, deleting);
      await space.markPod(failed, "failed");
      const names = await space.until("there are four pods", podNames, (seen) => seen.length === 4);
      expect(names).toEqual(expect.arrayContaining([deleting, failed]));
    });

    test.each<[string, readonly (string | undefined)[], boolean, number]>([
      ["costs that differ decide", ["1000", "100"], true, 0],
      ["equal costs leave it to restarts", ["100", "100"], true, 1],
      ["no costs leave it to restarts", [undefined, undefined], true, 1],
      ["without the gate costs do not count", ["1000", "100"], false, 1],
    ])("PodDeletionCost: %s", async (_, costs, enabled, stays) => {
      cluster.run(DESCRIPTORS, { features: { PodDeletionCost: enabled } });
      await space.create(resource, make("owner", 2));
      await untilStatus("owner", "2");
      const names = await podNames();
      for (const [index, name] of names.entries()) {
        const cost = costs[index];
        if (cost !== undefined) {
          const annotations = { "controller.kubernetes.io/pod-deletion-cost": cost };
          await space.patch(resources.pods, name, { metadata: { annotations } });
        }
        await setRestarts(name, index === 0 ? 5 : 0);
      }
      // Once the controller counts them as ready, it has seen all that was written before.
      const sinceMs = realClock.nowMs();
      for (const name of names) await space.markPod(name, "ready", sinceMs);
      await space.until(
        "both count as ready",
        async () => (await space.get(resource, "owner")).status?.readyReplicas,
        (count) => count === 2,
      );
      await update((spec) => ({ ...spec, replicas: 1 }));
      expect(await space.until("one pod is left", podNames, (left) => left.length === 1)).toEqual([
        names[stays],
      ]);
    });

    test("Overlapping: two of the same selector keep to their own pods", async () => {
      cluster.run(DESCRIPTORS);
      for (const [name, replicas] of [
        ["one", 1],
        ["two", 2],
      ] as const) {
        await space.create(resource, make(name, replicas));
        await untilStatus(name, String(replicas));
      }
      expect(await podNames()).toHaveLength(3);
      for (const [name, replicas] of [
        ["one", 1],
        ["two", 2],
      ] as const)
        await untilStatus(name, String(replicas));
    });

    test("PodOrphaningAndAdoptionWhenLabelsChange: released with other labels, adopted or given up with its own", async () => {
      cluster.run(DESCRIPTORS);
      const owner = await space.create(resource, make("owner", 1));
      await untilStatus("owner", "1");
      const [name = ""] = await podNames();
      await space.patch(resources.pods, name, { metadata: { labels: { app: null, other: "label" } } });
      await untilManagedBy(name, undefined);
      // By now another pod has taken its place. With its own labels again, one of the two is too many.
      await space.patch(resources.pods, name, { metadata: { labels: { app: "web", other: null } } });
      const left = await space.until(
        "one pod is left, and managed",
        async () => space.pods(),
        (pods) => pods.length === 1 && pods.every((each) => controllerOf(each) !== undefined),
      );
      expect(left.map((each) => controllerOf(each)?.uid)).toEqual([owner.metadata.uid]);
    });

    test("GeneralPodAdoption: a pod that it only owns is taken over, beside its other owners", async () => {
      cluster.run(DESCRIPTORS);
      const owner = await space.create(resource, make("owner", 1));
      await untilStatus("owner", "1");
      const [name = ""] = await podNames();
      const stranger = {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        name: "other",
        uid: "5ba5a7a5-0000-4000-8000-000000000001",
      };
      const self = { apiVersion, kind, name: "owner", uid: owner.metadata.uid };
      for (const [reference, owners] of [
        [stranger, 2],
        [self, 1],
      ] as const) {
        await space.patch(resources.pods, name, {
          metadata: { ownerReferences: [{ ...reference, controller: false }] },
        });
        const adopted = await untilManagedBy(name, owner.metadata.uid);
        expect(adopted.metadata.ownerReferences).toHaveLength(owners);
      }
    });

    test("ReadyAndAvailableReplicas: running, ready and available are three things", async () => {
      cluster.run(DESCRIPTORS);
      const made = make("owner", 3);
      await space.create(
        resource,
        withSpec(made, (spec) => ({ ...spec, minReadySeconds: 3_600 })),
      );
      await untilStatus("owner", "3");
      const [running = "", ready = "", available = ""] = await podNames();
      await space.markPod(running, "running");
      await space.markPod(ready, "ready");
      await space.markPod(available, "ready", realClock.nowMs() - 7_200_000);
      await space.until(
        "two are ready and one is available",
        async () => (await space.get(resource, "owner")).status,
        (status) => status?.replicas === 3 && status.readyReplicas === 2 && status.availableReplicas === 1,
      );
    });

    test("ScaleSubresource: it is scaled through its scale", async () => {
      cluster.run(DESCRIPTORS);
      await space.create(resource, make("owner", 1));
      await untilStatus("owner", "1");
      for (const replicas of [3, 0]) {
        await space.client
          .clientFor(resource)
          .patchSubresource({ namespace: space.namespace, name: "owner" }, "scale", {
            type: "merge",
            body: { spec: { replicas } },
          });
        await untilStatus("owner", String(replicas));
      }
    });

    test("ExtraPodsAdoptionAndDeletion: of more pods than desired, those too many go", async () => {
      for (const name of ["pod-1", "pod-2", "pod-3"]) await space.create(resources.pods, pod(name));
      await space.create(resource, make("owner", 2));
      cluster.run(DESCRIPTORS);
      await space.until("two pods are left", podNames, (names) => names.length === 2);
      await untilStatus("owner", "2");
    });

    test("FullyLabeledReplicas: pods with all labels of the template are counted apart", async () => {
      cluster.run(DESCRIPTORS);
      await space.create(resource, make("owner", 2));
      await untilStatus("owner", "2");
      const more = { ...LABELS, extra: "label" };
      await update((spec) => ({ ...spec, template: template({}, more) }));
      const [name = ""] = await podNames();
      await space.patch(resources.pods, name, { metadata: { labels: more } });
      await space.until(
        "one pod is fully labelled",
        async () => (await space.get(resource, "owner")).status,
        (status) => status?.replicas === 2 && status.fullyLabeledReplicas === 1,
      );
    });

    testWhere(kind === "ReplicaSet")(
      "ReplicaSetsAppsV1DefaultGCPolicy: a delete without a policy adds no finalizer",
      async () => {
        cluster.run(DESCRIPTORS);
        const made = make("owner", 2);
        await space.create(resource, { ...made, metadata: { ...made.metadata, finalizers: [HELD] } });
        await untilStatus("owner", "2");
        await space.delete(resource, "owner");
        const { metadata } = await space.get(resource, "owner");
        expect(metadata.deletionTimestamp).toBeDefined();
        expect(metadata.finalizers).toEqual([HELD]);
      },
    );

    // Older servers drop the number.
    testWhere(kind === "ReplicaSet" && serverMinor(name) >= 35)(
      "TerminatingReplicas: terminating pods are counted by gate, which may change",
      async () => {
        run(false);
        await space.create(
          resource,
          withSpec(make("owner", 5), (spec) => ({ ...spec, template: boundTemplate() })),
        );
        await untilStatus("owner", "5", undefined);
        const [first = "", second = "", third = ""] = await podNames();
        await space.delete(resources.pods, first);
        await untilStatus("owner", "5", undefined, 6);
        await cluster.stopControllers();
        run(true);
        await space.delete(resources.pods, second);
        await untilStatus("owner", "5", 2, 7);
        await space.delete(resources.pods, first, 0);
        await untilStatus("owner", "5", 1, 6);
        await cluster.stopControllers();
        run(false);
        await space.delete(resources.pods, third);
        await untilStatus("owner", "5", undefined, 7);

        function run(counted: boolean): void {
          cluster.run(DESCRIPTORS, { features: { DeploymentReplicaSetTerminatingReplicas: counted } });
        }
      },
    );

    testWhere(kind === "ReplicationController")(
      "LogarithmicScaleDown: the youngest goes, once it is far younger than the others",
      async () => {
        cluster.run(DESCRIPTORS);
        await space.create(resource, make("owner", 2));
        await untilStatus("owner", "2");
        const before = await podNames();
        // Ages are compared in powers of 2: after these seconds the first two are far apart from the third.
        await space.never("a change", 4_000, async () => (await podNames()).join() !== before.join());
        await scaleTo(3);
        await scaleTo(2);
        expect(await podNames()).toEqual(before);
      },
    );

    async function podNames(): Promise<readonly string[]> {
      return (await space.pods()).map(({ metadata }) => metadata.name ?? "").toSorted(byText);
    }

    async function untilStatus(
      name: string,
      replicas: string,
      terminating?: number,
      allPods?: number,
    ): Promise<void> {
      await space.until(
        `${name} has ${replicas} pods`,
        async () => ({ owner: await space.get(resource, name), pods: (await space.pods()).length }),
        ({ owner, pods }) =>
          (owner.status?.observedGeneration ?? 0) >= (owner.metadata.generation ?? 0) &&
          String(owner.status?.replicas ?? 0) === replicas &&
          (terminating === undefined || terminatingOf(owner) === terminating) &&
          (allPods === undefined || pods === allPods),
      );
    }

    async function scaleTo(replicas: number): Promise<void> {
      await update((spec) => ({ ...spec, replicas }));
      await untilStatus("owner", String(replicas));
      await space.until(`there are ${replicas} pods`, podNames, (names) => names.length === replicas);
    }

    async function untilManagedBy(name: string, uid: string | undefined): Promise<Pod> {
      return space.until(
        `${name} is managed by ${uid ?? "nobody"}`,
        async () => space.get(resources.pods, name),
        (each) => controllerOf(each)?.uid === uid,
      );
    }

    async function setRestarts(name: string, restartCount: number): Promise<void> {
      const containerStatuses = [{ name: "c", image: "image-1", imageID: "", ready: false, restartCount }];
      await space.client
        .clientFor(resources.pods)
        .patch(
          { namespace: space.namespace, name },
          { type: "merge", body: { status: { containerStatuses } } },
          { subresource: "status" },
        );
    }

    async function update(change: (spec: OwnerSpec) => OwnerSpec): Promise<ApiObject> {
      return space.update(resource, "owner", (owner) => withSpec(owner, change));
    }
  },
);

function byText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
