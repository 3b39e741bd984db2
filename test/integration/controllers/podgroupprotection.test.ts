import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { podGroupProtectionController } from "../../../controllers/podgroupprotection/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { V1alpha2PodGroup } from "../../../pkg/api/types/scheduling-v1alpha2.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { serverMinor } from "../../harness/real-programs.ts";
import type { TestSpace } from "../../harness/test-space.ts";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";
const FLAGS = ["--runtime-config=scheduling.k8s.io/v1alpha2=true", "--feature-gates=GenericWorkload=true"];

// The kind is of an alpha version, which no other server has.
const withPodGroups = clusterKinds.filter(({ name }) => serverMinor(name) === 36);

// Upstream has no integration test of this controller.
describe.each(withPodGroups)("groups of pods on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start(FLAGS);
    cluster.run([podGroupProtectionController()], { features: { GenericWorkload: true } });
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster?.stop());

  async function group(name: string): Promise<void> {
    await space.create<V1alpha2PodGroup>(resources.podGroups, {
      metadata: { name, finalizers: [FINALIZER] },
      spec: { schedulingPolicy: { gang: { minCount: 1 } } },
    });
  }

  async function pod(name: string, podGroupName: string): Promise<Pod> {
    return space.create<Pod>(resources.pods, {
      metadata: { name },
      spec: {
        nodeName: "worker",
        containers: [{ name: "main", image: "a" }],
        schedulingGroup: { podGroupName },
      },
    });
  }

  const find = async (name: string) => space.find<V1alpha2PodGroup>(resources.podGroups, name);

  async function untilGone(name: string): Promise<void> {
    await space.until(
      `${name} is gone`,
      async () => find(name),
      (found) => found === undefined,
    );
  }

  async function stays(name: string): Promise<void> {
    await space.never(`${name} goes`, 500, async () => (await find(name)) === undefined);
    expect((await find(name))?.metadata).toMatchObject({ finalizers: [FINALIZER] });
  }

  test("a pod says which group it is in", async () => {
    expect((await pod("web", "group")).spec?.schedulingGroup).toEqual({ podGroupName: "group" });
  });

  test("a group that nobody uses goes at once", async () => {
    await group("group");
    await stays("group");
    await space.delete(resources.podGroups, "group");
    await untilGone("group");
  });

  test("a group stays for its pods until the last of them is gone or has ended", async () => {
    await group("group");
    await group("other");
    for (const name of ["done", "gone"]) await pod(name, "group");
    await pod("stays", "other");
    // Whoever decides knows the pods from a cache, as upstream does.
    await stays("other");
    for (const name of ["group", "other"]) await space.delete(resources.podGroups, name);
    await stays("group");
    const done = await space.find<Pod>(resources.pods, "done");
    if (done === undefined) throw new Error("the pod is gone");
    await cluster.client
      .clientFor<Pod>(resources.pods)
      .updateStatus({ ...done, status: { phase: "Succeeded" } });
    await stays("group");
    await cluster.client
      .clientFor(resources.pods)
      .delete({ namespace: space.namespace, name: "gone" }, { gracePeriodSeconds: 0 });
    await untilGone("group");
    await stays("other");
    const lines = cluster.writesTo(space).map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
    expect(lines).toEqual(["update podgroups group"]);
  });
});
