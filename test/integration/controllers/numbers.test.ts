import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { daemonSetController } from "../../../controllers/daemonset/controller.ts";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { replicaSetController } from "../../../controllers/replicaset/controller.ts";
import { statefulSetController } from "../../../controllers/statefulset/controller.ts";
import { computeHash } from "../../../pkg/api/hash.ts";
import { compareInt64, type Int64, toInt64 } from "../../../pkg/api/int64.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ControllerRevision } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import {
  boundTemplate,
  deployment,
  hashOf,
  LABELS,
  ownedSets,
  replicaSet,
  revisionOf,
  template,
  untilComplete,
  untilRevision,
  untilStable,
} from "./workloads.ts";

const MAX = 2n ** 63n - 1n;
const LONG = 9007199254740993n;
const ready = { fateOf: (): PodFate => "ready" };
const NUMBERS: Partial<PodSpec> = {
  terminationGracePeriodSeconds: MAX,
  tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: LONG }],
};

function numbersOf({ spec }: Pod): readonly unknown[] {
  const tolerated = spec?.tolerations?.find(({ key }) => key === "k")?.tolerationSeconds;
  return [spec?.terminationGracePeriodSeconds, tolerated];
}

describe.each(clusterKinds)("Numbers of 64 bits, on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  beforeAll(async () => {
    cluster = await start();
    cluster.run([
      deploymentController({ workers: 5 }),
      replicaSetController({ workers: 5 }),
      statefulSetController({ workers: 5 }),
      daemonSetController({ workers: 5 }),
    ]);
  });
  afterAll(async () => cluster.stop());

  // upstream: test/e2e/apps/deployment.go#testRollingUpdateDeployment
  test("Deployment RollingUpdateDeployment should delete old pods and create new ones [Conformance]", async () => {
    const space = await cluster.space();
    space.tend(ready);
    const podLabels = { name: "sample-pod", pod: "agnhost" };
    const adopted = replicaSet("test-rolling-update-controller", 1);
    await space.create(resources.replicaSets, {
      ...adopted,
      metadata: {
        ...adopted.metadata,
        labels: podLabels,
        annotations: { "deployment.kubernetes.io/revision": "3546343826724305832" },
      },
      spec: { ...adopted.spec, selector: { matchLabels: podLabels }, template: template({}, podLabels) },
    });
    await space.until(
      "the pod of the ReplicaSet runs",
      async () => space.pods(),
      (pods) => pods.length === 1 && pods.every(({ status }) => status?.phase === "Running"),
    );
    const [old] = await space.pods();

    const labels = { name: "sample-pod" };
    const name = "test-rolling-update-deployment";
    await space.create(
      resources.deployments,
      deployment(name, 1, {
        selector: { matchLabels: labels },
        template: template({ containers: [{ name: "agnhost", image: "agnhost" }] }, labels),
      }),
    );
    const current = await untilRevision(space, name, "3546343826724305833", "agnhost");
    const owner = await untilComplete(space, name);
    const others = (await ownedSets(space, owner)).filter(
      ({ metadata }) => metadata.uid !== current.metadata.uid,
    );
    expect(others.map(({ metadata }) => metadata.name)).toEqual(["test-rolling-update-controller"]);
    await space.until(
      "the old pod is gone",
      async () => space.pods(),
      (pods) => pods.length === 1 && pods[0]?.metadata.uid !== old?.metadata.uid,
    );
  });

  test("in the template of a Deployment: one ReplicaSet of the hash that Go gives it, exact pods, and no more writes", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 2, { template: template(NUMBERS) }));
    const owner = await untilComplete(space, "web");
    const sets = await ownedSets(space, owner);
    expect(sets.map(hashOf)).toEqual([computeHash(owner.spec?.template ?? {})]);
    expect((await space.pods()).map(numbersOf)).toEqual([
      [MAX, LONG],
      [MAX, LONG],
    ]);

    const changed = await space.patch(resources.deployments, "web", {
      spec: { template: { spec: { terminationGracePeriodSeconds: MAX - 1n } } },
    });
    expect(changed.metadata.generation).toBe(2);
    await untilRevision(space, "web", "2");
    await untilComplete(space, "web");
    await space.until(
      "all pods have the new number",
      async () => (await space.pods()).map(numbersOf),
      (pods) => pods.length === 2 && pods.every(([grace]) => grace === MAX - 1n),
    );
    await space.untilSteady(async () => space.list(resources.replicaSets));
    expect(await space.list(resources.replicaSets)).toHaveLength(2);
  });

  test("whatever they are, what is in the template is in the pod", async () => {
    const space = await cluster.space();
    space.tend(ready);
    const int64 = fc.bigInt({ min: -MAX - 1n, max: MAX });
    let made = 0;
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 1n, max: MAX }), int64, async (grace, seconds) => {
        const name = `set-${made++}`;
        const labels = { set: name };
        const tolerations = [
          { key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: toInt64(seconds) },
        ];
        const spec = { terminationGracePeriodSeconds: toInt64(grace), tolerations };
        await space.create(resources.replicaSets, {
          metadata: { name },
          spec: { replicas: 1, selector: { matchLabels: labels }, template: template(spec, labels) },
        });
        await untilStable(space, name, 1);
        const pods = (await space.pods()).filter(({ metadata }) => metadata.labels?.["set"] === name);
        expect(pods.map(numbersOf)).toEqual([[toInt64(grace), toInt64(seconds)]]);
      }),
      { numRuns: 20 },
    );
  });

  test.each<[string, TypedResource<ApiObject>]>([
    ["StatefulSets", resources.statefulSets],
    ["DaemonSets", resources.daemonSets],
  ])("revisions of %s count on from those that doubles cannot tell apart", async (kind, resource) => {
    const space = await cluster.space();
    space.tend(ready);
    const selector = { matchLabels: LABELS };
    if (kind === "DaemonSets") {
      await space.create(resources.daemonSets, {
        metadata: { name: "db" },
        spec: { selector, template: template(NUMBERS) },
      });
    } else {
      const spec = { selector, serviceName: "db", replicas: 1, template: template(NUMBERS) };
      await space.create(resources.statefulSets, { metadata: { name: "db" }, spec });
    }
    const [first] = await untilRevisions(space, [1]);
    expect((first?.data as { readonly spec: object } | undefined)?.spec).toMatchObject({
      template: { spec: { terminationGracePeriodSeconds: MAX } },
    });
    await space.patch(resources.controllerRevisions, first?.metadata.name ?? "", { revision: LONG });
    await untilRevisions(space, [LONG]);
    await space.patch(resource, "db", {
      spec: { template: { spec: { terminationGracePeriodSeconds: MAX - 1n } } },
    });
    await untilRevisions(space, [LONG, LONG + 1n]);
    await space.patch(resource, "db", {
      spec: { template: { spec: { terminationGracePeriodSeconds: MAX } } },
    });
    await untilRevisions(space, [LONG + 1n, LONG + 2n]);
  });

  test("the last revision of all has none after it, and its pods are made all the same", async () => {
    const space = await cluster.space();
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", 1, { template: boundTemplate() }));
    const set = await untilRevision(space, "web", "1");
    await space.patch(resources.replicaSets, set.metadata.name ?? "", {
      metadata: { annotations: { "deployment.kubernetes.io/revision": `${MAX}` } },
    });
    await untilRevision(space, "web", `${MAX}`);
    await space.patch(resources.deployments, "web", {
      spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } },
    });
    const owner = await untilComplete(space, "web");
    const sets = await space.until(
      "there is another ReplicaSet",
      async () => ownedSets(space, owner),
      (owned) => owned.length === 2,
    );
    expect(new Set(sets.map(revisionOf))).toEqual(new Set([`${MAX}`, undefined]));
  });
});

/** Waits until the workload has revisions with these numbers, from low to high. */
async function untilRevisions(
  space: TestSpace,
  numbers: readonly Int64[],
): Promise<readonly ControllerRevision[]> {
  const seen = await space.until(
    `there are the revisions ${numbers.join(", ")}`,
    async () => (await space.list<ControllerRevision>(resources.controllerRevisions)).filter(controllerOf),
    (revisions) =>
      revisions
        .map(({ revision }) => revision)
        .toSorted(compareInt64)
        .join() === numbers.join(),
  );
  return seen;
}
