import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { replicaSetController } from "../../../controllers/replicaset/controller.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import {
  changed,
  conditionOf,
  countsOf,
  deployment,
  hashOf,
  LABELS,
  ownedSets,
  recreate,
  revisionOf,
  rolling,
  template,
  untilComplete,
  untilRevision,
  untilStable,
  withImage,
} from "./workloads.ts";
import { serverMinor } from "../../harness/real-programs.ts";
import { testWhere } from "../../harness/where.ts";

/** Everything that could follow has followed after this long without a change. */
const QUIET_MS = 400;
const DESIRED = "deployment.kubernetes.io/desired-replicas";
const ready = { fateOf: (): PodFate => "ready" };
const idle = { fateOf: (): PodFate => "pending" };

// Names of upstream's functions (test/integration/deployment/deployment_test.go) stand in front of each case.
describe.each(clusterKinds)("Deployments of the $name API server", ({ name: server, start }) => {
  let cluster: ControllerCluster;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([deploymentController({ workers: 5 }), replicaSetController({ workers: 5 })]);
  });
  afterAll(async () => cluster.stop());

  test("NewDeployment: pods come up, with the hash, annotations and events that belong to them", async () => {
    const space = await cluster.space();
    space.tend(ready);
    const made = deployment("web", 20, { minReadySeconds: 1 });
    await space.create(resources.deployments, {
      ...made,
      metadata: {
        ...made.metadata,
        annotations: {
          test: "should-copy-to-replica-set",
          "kubectl.kubernetes.io/last-applied-configuration": "{}",
        },
      },
    });
    await untilComplete(space, "web");
    const set = await untilRevision(space, "web", "1");
    const hash = hashOf(set);
    expect(set.metadata.name).toBe(`web-${hash}`);
    expect(set.spec?.selector.matchLabels?.["pod-template-hash"]).toBe(hash);
    expect(set.metadata.annotations).toMatchObject({ test: "should-copy-to-replica-set", [DESIRED]: "20" });
    expect(set.metadata.annotations).not.toHaveProperty("kubectl.kubernetes.io/last-applied-configuration");
    const pods = await space.pods();
    expect(pods).toHaveLength(20);
    expect(new Set(pods.map(hashOf))).toEqual(new Set([hash]));
    await space.until(
      "the event that it was scaled",
      async () => (await space.list(resources.events)).map(({ message }) => message),
      (messages) => messages.includes(`Scaled up replica set ${set.metadata.name} from 0 to 20`),
    );
  });

  test("DeploymentRollingUpdate: rolls, never with too few pods or too many; going back takes the old ReplicaSet", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 8, { ...rolling(2, 2), minReadySeconds: 1 }));
    await untilComplete(space, "web");
    const first = await untilRevision(space, "web", "1");
    await space.update(resources.deployments, "web", withImage("image-2"));
    const bounds: number[] = [];
    await space.until(
      "the rollout is over",
      async () => {
        const { status, metadata } = await space.get(resources.deployments, "web");
        bounds.push(status?.replicas ?? 0, (status?.availableReplicas ?? 0) + 100);
        return { status, metadata };
      },
      ({ status, metadata }) =>
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === 8 &&
        status.replicas === 8 &&
        status.availableReplicas === 8,
    );
    expect(Math.max(...bounds.filter((each) => each < 100))).toBeLessThanOrEqual(10);
    expect(Math.min(...bounds.filter((each) => each >= 100)) - 100).toBeGreaterThanOrEqual(6);
    await untilRevision(space, "web", "2", "image-2");
    await space.update(resources.deployments, "web", withImage("image-1"));
    await untilComplete(space, "web");
    const back = await untilRevision(space, "web", "3");
    expect(back.metadata.uid).toBe(first.metadata.uid);
    expect(back.metadata.annotations?.["deployment.kubernetes.io/revision-history"]).toBe("1");
    expect(await ownedSets(space, await space.get(resources.deployments, "web"))).toHaveLength(2);
  });

  test("DeploymentSelectorImmutability: the selector cannot be changed", async () => {
    const space = await cluster.space();
    await space.create(resources.deployments, deployment("web", 0));
    const other = { app: "other" };
    const change = changed({ selector: { matchLabels: other }, template: template({}, other) });
    await expect(space.update(resources.deployments, "web", change)).rejects.toThrow(
      /Invalid value.*field is immutable/,
    );
  });

  test("PausedDeployment: while paused nothing is rolled out; resumed, it is", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 1, { paused: true }));
    await untilProgressing("Unknown DeploymentPaused");
    expect(await space.list(resources.replicaSets)).toEqual([]);
    await space.update(resources.deployments, "web", changed({ paused: false }));
    await untilComplete(space, "web");
    await untilRevision(space, "web", "1");
    await space.update(resources.deployments, "web", changed({ paused: true }));
    await untilProgressing("Unknown DeploymentPaused");
    await space.update(resources.deployments, "web", withImage("image-2"));
    await space.until(
      "the new template is seen",
      async () => space.get(resources.deployments, "web"),
      ({ metadata, status }) => status?.observedGeneration === metadata.generation,
    );
    await space.never(
      "a second ReplicaSet",
      QUIET_MS,
      async () => (await space.list(resources.replicaSets)).length > 1,
    );
    await space.update(resources.deployments, "web", changed({ paused: false }));
    await untilRevision(space, "web", "2", "image-2");
    await untilComplete(space, "web");

    async function untilProgressing(expected: string): Promise<void> {
      await space.until(
        expected,
        async () => conditionOf(await space.get(resources.deployments, "web"), "Progressing"),
        (seen) => seen === expected,
      );
    }
  });

  test("ScalePausedDeployment: while paused, the size still follows", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 1));
    await untilComplete(space, "web");
    const { metadata } = await untilRevision(space, "web", "1");
    await space.update(resources.deployments, "web", changed({ paused: true }));
    await space.update(resources.deployments, "web", changed({ replicas: 5 }));
    const set = await untilStable(space, metadata.name ?? "", 5);
    expect(set.metadata.annotations?.[DESIRED]).toBe("5");
    await untilComplete(space, "web");
  });

  test("DeploymentHashCollision: a name that is taken is counted, and the next one tried", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 1));
    const first = await untilRevision(space, "web", "1");
    // The ReplicaSet of that name is now of another template.
    await space.update(resources.replicaSets, first.metadata.name ?? "", (set) => retemplated(set, 5));
    await space.until(
      "the collision is counted",
      async () => (await space.get(resources.deployments, "web")).status?.collisionCount,
      (count) => count === 1,
    );
    await space.until(
      "a second ReplicaSet has the second revision",
      async () => (await space.list(resources.replicaSets)).filter((set) => revisionOf(set) === "2"),
      (sets) => sets.length === 1 && sets[0]?.metadata.uid !== first.metadata.uid,
    );
  });

  test("FailedDeployment: past the deadline it says so, and recovers when its pods do", async () => {
    const space = await cluster.space();
    space.tend(idle);
    await space.create(resources.deployments, deployment("web", 1, { progressDeadlineSeconds: 2 }));
    await untilProgressing("False ProgressDeadlineExceeded");
    space.tend(ready);
    await untilComplete(space, "web");
    await untilProgressing("True NewReplicaSetAvailable");

    async function untilProgressing(expected: string): Promise<void> {
      await space.until(
        expected,
        async () => conditionOf(await space.get(resources.deployments, "web"), "Progressing"),
        (seen) => seen === expected,
      );
    }
  });

  test("OverlappingDeployments: two of the same selector keep to their own pods", async () => {
    const space = await cluster.space();
    space.tend(ready);
    for (const [name, replicas] of [
      ["one", 1],
      ["two", 2],
    ] as const) {
      await space.create(resources.deployments, deployment(name, replicas));
      await untilComplete(space, name);
    }
    await space.update(resources.deployments, "one", changed({ replicas: 3 }));
    await untilComplete(space, "one");
    await untilComplete(space, "two");
    const sizes = (await space.list(resources.replicaSets)).map(
      (set) => `${controllerOf(set)?.name} ${set.spec?.replicas} ${set.status?.replicas}`,
    );
    expect(new Set(sizes)).toEqual(new Set(["one 3 3", "two 2 2"]));
    expect(await space.pods()).toHaveLength(5);
  });

  test("ScaledRolloutDeployment: scaled in the middle of a rollout, revisions keep their shares", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 10, rolling(3, 2)));
    await untilComplete(space, "web");
    await stuckRollout("2", "image-2", ["8", "5"]);
    await scaleAndRoll(20, "3", "image-3");
    await stuckRollout("4", "image-4", ["18", "5"]);
    await scaleAndRoll(5, "5", "image-5");

    /** New pods do not become ready: the sizes of old and new are as far as the rollout can come. */
    async function stuckRollout(revision: string, image: string, sizes: readonly string[]): Promise<void> {
      space.tend({ fateOf: (each) => (each.spec?.containers[0]?.image === image ? "pending" : "ready") });
      await space.update(resources.deployments, "web", withImage(image));
      await untilRevision(space, "web", revision, image);
      await space.until(
        `revisions have ${sizes.join(" and ")} pods`,
        async () => (await space.list(resources.replicaSets)).filter((set) => (set.spec?.replicas ?? 0) > 0),
        (sets) =>
          sets
            .map((set) => String(set.status?.replicas))
            .toSorted(numerically)
            .join() === sizes.toSorted(numerically).join(),
      );
      const { status, spec } = await space.get(resources.deployments, "web");
      expect(status?.availableReplicas ?? 0).toBeGreaterThanOrEqual((spec?.replicas ?? 0) - 2);
    }

    async function scaleAndRoll(replicas: number, revision: string, image: string): Promise<void> {
      space.tend(ready);
      await space.update(resources.deployments, "web", (owner) =>
        changed({ replicas })(withImage(image)(owner)),
      );
      await untilRevision(space, "web", revision, image);
      await untilComplete(space, "web");
      const told = (await space.list(resources.replicaSets)).filter(
        (set) => Number(revisionOf(set)) >= Number(revision) - 2,
      );
      expect(told.map(({ metadata }) => metadata.annotations?.[DESIRED])).toEqual(
        Array.from({ length: 3 }, () => String(replicas)),
      );
    }
  });

  test("SpecReplicasChange: the ReplicaSet follows each change of the size, and the status each of the spec", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 1, recreate));
    const name = (await untilRevision(space, "web", "1")).metadata.name ?? "";
    for (const replicas of [2, 0, 1]) {
      await space.update(resources.deployments, "web", changed({ replicas }));
      await untilStable(space, name, replicas);
    }
    const { metadata } = await space.update(
      resources.deployments,
      "web",
      changed({ revisionHistoryLimit: 4 }),
    );
    await space.until(
      "the last spec is seen",
      async () => (await space.get(resources.deployments, "web")).status?.observedGeneration ?? 0,
      (observed) => observed >= (metadata.generation ?? 0),
    );
  });

  // With the number of those that are being deleted.
  testWhere(serverMinor(server) >= 35)(
    "DeploymentAvailableCondition: pods count as available when they have been ready for long enough",
    async () => {
      const space = await cluster.space();
      space.tend(idle);
      await space.create(
        resources.deployments,
        deployment("web", 10, { ...rolling(1, 2), minReadySeconds: 3_600, progressDeadlineSeconds: 7_200 }),
      );
      await untilCounted("10 10 0 0 10 0", "False MinimumReplicasUnavailable");
      space.tend(ready);
      await untilCounted("10 10 10 0 10 0", "False MinimumReplicasUnavailable");
      await space.update(resources.deployments, "web", changed({ minReadySeconds: 1 }));
      await untilCounted("10 10 10 10 0 0", "True MinimumReplicasAvailable");

      async function untilCounted(counts: string, available: string): Promise<void> {
        await space.until(
          `${counts}, ${available}`,
          async () => space.get(resources.deployments, "web"),
          (owner) => countsOf(owner) === counts && conditionOf(owner, "Available") === available,
        );
      }
    },
  );

  test("GeneralReplicaSetAdoption: a ReplicaSet that it only owns is taken over, beside its other owners", async () => {
    const space = await cluster.space();
    space.tend(ready);
    const owner = await space.create(resources.deployments, deployment("web", 1));
    const { metadata } = await untilRevision(space, "web", "1");
    const name = metadata.name ?? "";
    const stranger = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      name: "other",
      uid: "5ba5a7a5-0000-4000-8000-000000000001",
    };
    const self = { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: owner.metadata.uid };
    for (const [reference, owners] of [
      [stranger, 2],
      [self, 1],
    ] as const) {
      const ownerReferences = [{ ...reference, controller: false }];
      await space.patch(resources.replicaSets, name, { metadata: { ownerReferences } });
      const adopted = await space.until(
        "it is taken over",
        async () => space.get(resources.replicaSets, name),
        (set) => controllerOf(set)?.uid === owner.metadata.uid,
      );
      expect(adopted.metadata.ownerReferences).toHaveLength(owners);
    }
  });

  test("DeploymentScaleSubresource: it is scaled through its scale", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 2));
    const name = (await untilRevision(space, "web", "1")).metadata.name ?? "";
    for (const replicas of [3, 0]) {
      await space.client
        .clientFor(resources.deployments)
        .patchSubresource({ namespace: space.namespace, name: "web" }, "scale", {
          type: "merge",
          body: { spec: { replicas } },
        });
      await untilStable(space, name, replicas);
    }
  });

  test("ReplicaSetOrphaningAndAdoptionWhenLabelsChange: released with other labels, adopted with its own", async () => {
    const space = await cluster.space();
    space.tend(ready);
    const owner = await space.create(resources.deployments, deployment("web", 1));
    const set = await untilRevision(space, "web", "1");
    const name = set.metadata.name ?? "";
    await space.update(resources.replicaSets, name, (each) => relabelled(each, { other: "label" }));
    await space.until(
      "it is released",
      async () => controllerOf(await space.get(resources.replicaSets, name)),
      (manager) => manager === undefined,
    );
    await space.update(resources.replicaSets, name, (each) =>
      relabelled(each, { ...LABELS, ...set.metadata.labels }),
    );
    await space.until(
      "it is adopted",
      async () => controllerOf(await space.get(resources.replicaSets, name))?.uid,
      (uid) => uid === owner.metadata.uid,
    );
  });
});

function retemplated(set: ReplicaSet, terminationGracePeriodSeconds: number): ReplicaSet {
  const spec = set.spec;
  const podSpec = spec?.template?.spec;
  if (spec === undefined || podSpec === undefined) throw new Error("the ReplicaSet has no template");
  return {
    ...set,
    spec: { ...spec, template: { ...spec.template, spec: { ...podSpec, terminationGracePeriodSeconds } } },
  };
}

function relabelled(set: ReplicaSet, labels: Readonly<Record<string, string>>): ReplicaSet {
  return { ...set, metadata: { ...set.metadata, labels } };
}

function numerically(one: string, other: string): number {
  return Number(one) - Number(other);
}
