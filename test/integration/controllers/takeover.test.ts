import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deploymentController } from "../../../controllers/deployment/controller.ts";
import { podGarbageCollectorController } from "../../../controllers/podgc/controller.ts";
import {
  replicaSetController,
  replicationController as replicationControllers,
} from "../../../controllers/replicaset/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { lineOf } from "../../harness/controller-world.ts";
import { Daemon, goProgram, predecessorsOn } from "../../harness/daemon.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import type { Write } from "../../../pkg/testing/recorded-transport.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import {
  changed,
  deployment,
  replicaSet,
  replicationController,
  rolling,
  untilComplete,
  untilStable,
  withImage,
} from "./workloads.ts";
import { serverMinor } from "../../harness/real-programs.ts";
import { testWhere } from "../../harness/where.ts";

const REPLICAS = 25;
/** A pod is there, and it is ready: the kubelet binds and readies it in one write. */
const POD_STATES = 2;
/** Caches are filled, and every key has been worked on, long before. */
const QUIET_MS = 1_500;
const DESCRIPTORS = [
  deploymentController({ workers: 5 }),
  replicaSetController({ workers: 5 }),
  replicationControllers({ workers: 5 }),
  podGarbageCollectorController({ threshold: 12_500 }),
];
const ready = { fateOf: (): PodFate => "ready" };
/** Pods of the second template never become ready. */
const half = { fateOf: isOld };

describe.each(clusterKinds)("controllers on the $name API server", ({ name, start }) => {
  let cluster: ControllerCluster;
  beforeAll(async () => {
    cluster = await start();
  });
  afterAll(async () => cluster.stop());

  test("bring up a Deployment with few writes, none of them refused", async () => {
    const space = await cluster.space();
    cluster.run(DESCRIPTORS);
    space.tend(ready);
    await space.create(resources.deployments, deployment("web", REPLICAS));
    await untilComplete(space, "web");
    await space.untilSteady(async () => cluster.writesTo(space).length);
    const writes = cluster.writesTo(space);
    expect(writes.filter(({ status }) => status >= 300).map(lineOf)).toEqual([]);
    expect(writes.filter(isPodWrite)).toHaveLength(REPLICAS);
    expect(writes.filter(({ resource }) => resource === "replicasets")).toHaveLength(1);
    // A pod and its Event; the others tell how far it has come, each of the two owners at most once for each step of a
    // pod. How many of the steps they see one by one is a matter of the machine's speed.
    expect(writes.length / REPLICAS).toBeLessThan(2 + 2 * POD_STATES);
    await cluster.stopControllers();
  });

  // Older servers drop the number of terminating pods: a new manager writes it once more, and the Go program for ever.
  const countsTerminating = serverMinor(name) >= 35;
  const predecessors = (countsTerminating ? predecessorsOn(name) : ["this program"]).map((predecessor) => ({
    predecessor,
    begin: async () => (predecessor === "this program" ? beginOurs() : beginGo(goProgram ?? [])),
  }));
  describe.each(predecessors)("that take over from $predecessor", ({ begin }) => {
    testWhere(countsTerminating)("write nothing to what is settled", async () => {
      const space = await settled();
      const [before, state] = [cluster.writesTo(space).length, await stateOf(space)];
      cluster.run(DESCRIPTORS);
      await space.never("a write", QUIET_MS, writesAfter(space, before));
      await cluster.stopControllers();
      expect(cluster.writesTo(space).slice(before).map(lineOf)).toEqual([]);
      expect(await stateOf(space)).toEqual(state);
    });

    test("go on with a rollout, and neither create nor delete a pod that need not be", async () => {
      const space = await settled();
      const end = await begin();
      space.tend(half);
      await space.update(resources.deployments, "web", withImage("image-2"));
      // 5 above what is desired, 5 below: 20 old ones, 10 new ones that do not become ready.
      await untilSizes(space, "10 20");
      await end();
      const before = cluster.writesTo(space).length;
      cluster.run(DESCRIPTORS);
      await space.never("a write to a pod", QUIET_MS, async () =>
        cluster.writesTo(space).slice(before).some(isPodWrite),
      );
      space.tend(ready);
      await untilComplete(space, "web");
      const after = cluster.writesTo(space).slice(before).filter(isPodWrite);
      // 15 new ones were missing, and 20 old ones had to go.
      expect(after.filter(({ verb }) => verb === "create")).toHaveLength(15);
      expect(after.filter(({ verb }) => verb === "delete")).toHaveLength(20);
      await cluster.stopControllers();
    });

    async function settled(): Promise<TestSpace> {
      const space = await cluster.space();
      const end = await begin();
      space.tend(ready);
      await space.create(resources.deployments, deployment("web", REPLICAS, rolling(5, 5)));
      await space.create(resources.replicaSets, alone(replicaSet("set", 3)));
      await space.create(resources.replicationControllers, { ...alone(replicationController("rc", 3)) });
      await untilComplete(space, "web");
      await untilStable(space, "set", 3);
      await space.untilSteady(async () => stateOf(space));
      await end();
      return space;
    }
  });

  testWhere(countsTerminating && predecessorsOn(name).length > 1)(
    "leave the Go program nothing to write when it takes over",
    async () => {
      const space = await cluster.space();
      cluster.run(DESCRIPTORS);
      space.tend(ready);
      await space.create(resources.deployments, deployment("web", REPLICAS));
      await untilComplete(space, "web");
      await space.never("nothing", QUIET_MS, async () => false);
      await cluster.stopControllers();
      const state = JSON.stringify(await stateOf(space));
      const end = await beginGo(goProgram ?? []);
      await space.never("a write", 3 * QUIET_MS, async () => JSON.stringify(await stateOf(space)) !== state);
      await space.update(resources.deployments, "web", changed({ replicas: REPLICAS + 1 }));
      await untilComplete(space, "web");
      await end();
      expect(JSON.parse(state)).not.toEqual(await stateOf(space));
    },
  );

  function beginOurs(): () => Promise<void> {
    cluster.run(DESCRIPTORS);
    return async () => cluster.stopControllers();
  }

  async function beginGo(program: readonly string[]): Promise<() => Promise<void>> {
    const daemon = new Daemon(program, [
      `--kubeconfig=${cluster.kubeconfig ?? ""}`,
      "--leader-elect=false",
      "--secure-port=0",
      `--controllers=${DESCRIPTORS.map(({ name }) => name).join(",")}`,
    ]);
    return async () => void (await daemon.end("SIGTERM"));
  }

  function writesAfter(space: TestSpace, count: number): () => Promise<boolean> {
    return async () => cluster.writesTo(space).length > count;
  }
});

function isOld(pod: {
  readonly spec?: { readonly containers: readonly { readonly image?: string }[] };
}): PodFate {
  return pod.spec?.containers[0]?.image === "image-2" ? "pending" : "ready";
}

function isPodWrite({ resource }: Write): boolean {
  return resource === "pods";
}

async function untilSizes(space: TestSpace, sizes: string): Promise<void> {
  await space.until(
    `sizes are ${sizes}`,
    async () =>
      (await space.list(resources.replicaSets))
        .filter(({ metadata }) => metadata.name?.startsWith("web-"))
        .map(({ status }) => status?.replicas ?? 0)
        .toSorted((one, other) => one - other)
        .join(" "),
    (seen) => seen === sizes,
  );
}

/** Versions of everything that controllers write. */
async function stateOf(space: TestSpace): Promise<readonly string[]> {
  const lists = await Promise.all([
    space.list(resources.deployments),
    space.list(resources.replicaSets),
    space.list(resources.replicationControllers),
    space.list(resources.pods),
  ]);
  return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}

/** With labels of its own, so that it selects no pods of others. */
function alone<T extends { readonly metadata: { readonly name?: string }; readonly spec?: object }>(
  owner: T,
): T {
  const labels = { app: owner.metadata.name ?? "" };
  return JSON.parse(JSON.stringify(owner).replaceAll('{"app":"web"}', JSON.stringify(labels))) as T;
}
