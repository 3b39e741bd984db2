import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { statefulSetController } from "../../../controllers/statefulset/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { compareResourceVersions } from "../../../pkg/api/resource-version.ts";
import type { StatefulSet, StatefulSetSpec } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { SharedInformer } from "../../../pkg/cache/informer/informer.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import type { ControllerDescriptor } from "../../../pkg/controller/env.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { LABELS, template } from "./workloads.ts";
import { testWhere } from "../../harness/where.ts";

const DESCRIPTORS = [statefulSetController({ workers: 5 })];
const HELD = "fake.example.com/blockDeletion";

// Names of upstream's functions (test/integration/statefulset, and staleness) stand in front of each case.
describe.each(clusterKinds)("StatefulSets on the $name API server", ({ name, start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    // The gate of the API server, without which it drops the field.
    cluster = await start(name === "real" ? ["--feature-gates=MaxUnavailableStatefulSet=true"] : []);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterEach(async () => cluster.stopControllers());
  afterAll(async () => cluster.stop());

  test("VolumeTemplateNoopUpdate: the spec as it was first sent changes nothing", async () => {
    const owner = statefulSet(3);
    const created = await space.create(resources.statefulSets, owner);
    const { metadata, spec } = await space.update(resources.statefulSets, "sts", (now) => ({
      ...now,
      ...(owner.spec && { spec: owner.spec }),
    }));
    expect(metadata.generation).toBe(1);
    expect(spec).toEqual(created.spec);
  });

  test("SpecReplicasChange: pods follow each change of the size, and the status each of the spec", async () => {
    cluster.run(DESCRIPTORS);
    await space.create(resources.statefulSets, statefulSet(2));
    await untilReplicas(2);
    for (const replicas of [3, 0, 2]) {
      await scale(replicas);
      await untilReplicas(replicas);
    }
    const { metadata } = await space.update(resources.statefulSets, "sts", (owner) =>
      changed(owner, { template: { ...template(), metadata: { labels: LABELS, annotations: { a: "b" } } } }),
    );
    await space.until(
      "the last spec is seen",
      async () => (await set()).status?.observedGeneration ?? 0,
      (observed) => observed >= (metadata.generation ?? 0),
    );
  });

  test("DeletingAndTerminatingPods: what has ended is replaced, what is ending is waited for", async () => {
    cluster.run(DESCRIPTORS);
    await space.create(resources.statefulSets, statefulSet(3));
    await untilReplicas(3);
    const before = await uids();
    await space.patch(resources.pods, "sts-0", { metadata: { finalizers: [HELD] } });
    await space.delete(resources.pods, "sts-0");
    await space.markPod("sts-1", "failed");
    await space.client
      .clientFor<Pod>(resources.pods)
      .patch(
        { namespace: space.namespace, name: "sts-2" },
        { type: "merge", body: { status: { phase: "Succeeded" } } },
        { subresource: "status" },
      );
    await space.until("both are replaced", uids, (now) => isNew(before, now, "sts-1", "sts-2"));
    expect((await uids()).get("sts-0")).toBe(before.get("sts-0"));
    await space.patch(resources.pods, "sts-0", { metadata: { finalizers: null } });
    await space.until("the third is, too", uids, (now) => isNew(before, now, "sts-0", "sts-1", "sts-2"));
  });

  test("StatefulSetAvailable: a ready pod counts as available after minReadySeconds", async () => {
    cluster.run(DESCRIPTORS);
    await space.create(resources.statefulSets, statefulSet(4, { minReadySeconds: 3_600 }));
    await untilReplicas(4);
    const nowMs = realClock.nowMs();
    await space.markPod("sts-0", "ready", nowMs);
    await space.markPod("sts-1", "ready", nowMs - 7_200_000);
    await space.markPod("sts-2", "ready", nowMs - 7_200_000);
    await untilCounts({ replicas: 4, readyReplicas: 3, availableReplicas: 2 });
    await space.update(resources.statefulSets, "sts", (owner) => changed(owner, { minReadySeconds: 0 }));
    await untilCounts({ replicas: 4, readyReplicas: 3, availableReplicas: 3 });
  });

  test("StatefulSetStatusWithPodFail: the status counts what there is when the others cannot be created", async () => {
    // Names that others have are the same on both servers; quotas are not.
    for (const taken of ["sts-2", "sts-3"])
      await space.create<Pod>(resources.pods, {
        metadata: { name: taken },
        spec: template().spec ?? NO_SPEC,
      });
    cluster.run(DESCRIPTORS);
    await space.create(resources.statefulSets, statefulSet(4));
    await untilCounts({ replicas: 2 });
  });

  test.each([
    { whenDeleted: "Retain", whenScaled: "Retain", set: false, pod: false },
    { whenDeleted: "Retain", whenScaled: "Delete", set: false, pod: true },
    { whenDeleted: "Delete", whenScaled: "Retain", set: true, pod: false },
    { whenDeleted: "Delete", whenScaled: "Delete", set: true, pod: true },
  ])("AutodeleteOwnerRefs: claims $whenDeleted / $whenScaled", async ({ set: withSet, pod, ...policy }) => {
    cluster.run(DESCRIPTORS);
    await space.create(
      resources.statefulSets,
      statefulSet(3, { persistentVolumeClaimRetentionPolicy: policy }),
    );
    await untilReplicas(3);
    const always = withSet ? "StatefulSet" : "";
    await space.until("the claims have their owners", claimOwners, same([always, always, always]));
    await space.patch(resources.pods, "sts-2", { metadata: { finalizers: [HELD] } });
    await scale(1);
    const away = pod ? "Pod" : always;
    await space.until("and after scaling down", claimOwners, same([always, away, away]));
    await space.patch(resources.pods, "sts-2", { metadata: { finalizers: null } });
    await untilReplicas(1);
  });

  test("DeletingPodForRollingUpdatePartition: a pod before the partition comes back as it was", async () => {
    cluster.run(DESCRIPTORS);
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 1 } };
    await space.create(resources.statefulSets, statefulSet(2, { updateStrategy }));
    await untilReplicas(2);
    space.tend({});
    await untilCounts({ readyReplicas: 2 });
    await space.patch(resources.pods, "sts-0", { metadata: { finalizers: [HELD] } });
    await roll("new-image");
    await untilCounts({ updatedReplicas: 1, replicas: 2, readyReplicas: 2 });
    space.tend(undefined);
    await space.markPod("sts-0", "failed");
    await space.delete(resources.pods, "sts-0");
    await untilCounts({ readyReplicas: 1 });
    await space.patch(resources.pods, "sts-0", { metadata: { finalizers: null } });
    space.tend({});
    await untilCounts({ readyReplicas: 2 });
    expect(await images()).toEqual(["image-1", "new-image"]);
  });

  test.each([
    { ordinals: undefined, replicas: 3, expected: [0, 1, 2] },
    { ordinals: {}, replicas: 3, expected: [0, 1, 2] },
    { ordinals: { start: 4 }, replicas: 4, expected: [4, 5, 6, 7] },
    { ordinals: { start: 2 }, replicas: 7, expected: [2, 3, 4, 5, 6, 7, 8] },
  ])("StatefulSetStartOrdinal: $ordinals of $replicas", async ({ ordinals, replicas, expected }) => {
    cluster.run(DESCRIPTORS);
    await space.create(resources.statefulSets, statefulSet(replicas, { ...(ordinals && { ordinals }) }));
    await untilReplicas(replicas);
    const names = (await space.pods()).map(({ metadata }) => metadata.name);
    expect(names).toEqual(expected.map((ordinal) => `sts-${ordinal}`));
  });

  test("StatefulSetPodSubdomain: pods are in the domain of the governing service", async () => {
    cluster.run(DESCRIPTORS);
    await space.create(resources.statefulSets, statefulSet(3, { serviceName: "test-service" }));
    await untilReplicas(3);
    const subdomains = (await space.pods()).map(({ spec }) => spec?.subdomain);
    expect(subdomains).toEqual(["test-service", "test-service", "test-service"]);
  });

  test("PodListerRV: the version that a cache has seen grows with updates and deletions", async () => {
    let pods: SharedInformer | undefined;
    cluster.run([watcher((informer) => (pods = informer))]);
    await space.create<Pod>(resources.pods, { metadata: { name: "pod1" }, spec: template().spec ?? NO_SPEC });
    const seen = async (): Promise<string> => pods?.lastSyncResourceVersion() ?? "";
    const first = await space.until("the cache is filled", seen, (version) => version !== "");
    const isLater = (than: string) => (version: string) => compareResourceVersions(version, than) > 0;
    await space.patch(resources.pods, "pod1", { metadata: { labels: { foo: "bar" } } });
    const second = await space.until("the update is seen", seen, isLater(first));
    await space.delete(resources.pods, "pod1");
    await space.until("the deletion is seen", seen, isLater(second));
  });

  test("an update in turn: one pod at a time, from the last, each when the one before is ready", async () => {
    cluster.run(DESCRIPTORS);
    space.tend({});
    await space.create(resources.statefulSets, statefulSet(3, { podManagementPolicy: "OrderedReady" }));
    await untilCounts({ readyReplicas: 3 });
    await roll("image-2");
    await untilCounts({ updatedReplicas: 3, readyReplicas: 3, currentReplicas: 3 });
    expect(await images()).toEqual(["image-2", "image-2", "image-2"]);
    const deletions = cluster
      .writesTo(space)
      .filter(({ verb, actor }) => verb === "delete" && actor === "statefulset-controller");
    expect(deletions.map((write) => write.name)).toEqual(["sts-2", "sts-1", "sts-0"]);
    const refused = cluster.writesTo(space).filter(({ status }) => status >= 400);
    expect(refused).toEqual([]);
    const { currentRevision, updateRevision } = (await set()).status ?? {};
    expect(currentRevision).toBe(updateRevision);
  });

  testWhere(name === "real")("with its gate, as many go at a time as may be unavailable", async () => {
    cluster.run(DESCRIPTORS, { features: { MaxUnavailableStatefulSet: true } });
    space.tend({});
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable: 2 } };
    await space.create(resources.statefulSets, statefulSet(5, { updateStrategy }));
    await untilCounts({ readyReplicas: 5 });
    space.tend(undefined);
    await roll("image-2");
    await untilCounts({ readyReplicas: 3, replicas: 5 });
    expect(await images()).toEqual(["image-1", "image-1", "image-1", "image-2", "image-2"]);
    space.tend({});
    await untilCounts({ updatedReplicas: 5, readyReplicas: 5 });
  });

  async function set(): Promise<StatefulSet> {
    return space.get(resources.statefulSets, "sts");
  }

  async function scale(replicas: number): Promise<void> {
    await space.update(resources.statefulSets, "sts", (owner) => changed(owner, { replicas }));
  }

  async function roll(image: string): Promise<void> {
    const spec = { containers: [{ name: "c", image }] };
    await space.update(resources.statefulSets, "sts", (owner) =>
      changed(owner, { template: template(spec) }),
    );
  }

  async function untilReplicas(replicas: number): Promise<void> {
    await space.until(
      `there are ${replicas} replicas`,
      set,
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation && (status?.replicas ?? 0) === replicas,
    );
  }

  async function untilCounts(counts: Partial<NonNullable<StatefulSet["status"]>>): Promise<void> {
    await space.until(
      JSON.stringify(counts),
      set,
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        Object.entries(counts).every(([key, count]) => (status?.[key as keyof typeof counts] ?? 0) === count),
    );
  }

  async function uids(): Promise<ReadonlyMap<string, string>> {
    return new Map((await space.pods()).map(({ metadata }) => [metadata.name ?? "", metadata.uid ?? ""]));
  }

  async function images(): Promise<readonly (string | undefined)[]> {
    return (await space.pods()).map(({ spec }) => spec?.containers[0]?.image);
  }

  /** The kinds of the owners of each claim. */
  async function claimOwners(): Promise<readonly string[]> {
    const claims = await space.list(resources.persistentVolumeClaims);
    return claims.map(({ metadata }) => metadata.ownerReferences?.map(({ kind }) => kind).join() ?? "");
  }
});

const NO_SPEC = { containers: [] };

/** Pods come and go at once, as in upstream's cases, unless told otherwise. */
function statefulSet(replicas: number, more: Partial<StatefulSetSpec> = {}): StatefulSet {
  return {
    metadata: { name: "sts" },
    spec: {
      podManagementPolicy: "Parallel",
      replicas,
      selector: { matchLabels: LABELS },
      template: template(),
      serviceName: "fake-service-name",
      volumeClaimTemplates: [
        {
          metadata: { name: "fake-pvc-template" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
      ...more,
    },
  };
}

function changed(owner: StatefulSet, more: Partial<StatefulSetSpec>): StatefulSet {
  return { ...owner, ...(owner.spec && { spec: { ...owner.spec, ...more } }) };
}

function isNew(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  ...names: readonly string[]
): boolean {
  return names.every((name) => now.has(name) && now.get(name) !== before.get(name));
}

function same(expected: readonly string[]): (seen: readonly string[]) => boolean {
  return (seen) => seen.join("|") === expected.join("|");
}

/** Does nothing but keep a cache of pods. */
function watcher(use: (pods: SharedInformer) => void): ControllerDescriptor {
  return {
    name: "watcher",
    clientName: "watcher",
    build: (env) => {
      use(env.informers.informer(resources.pods, { fields: [] }));
      return {
        run: async (signal) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      };
    },
  };
}
