import { compareInt64 } from "../../../pkg/api/int64.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { daemonSetController } from "../../../controllers/daemonset/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { DaemonSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { scheduler } from "../../../pkg/cluster/scheduler/scheduler.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { lineOf } from "../../harness/controller-world.ts";
import { Daemon, goProgram, predecessorsOn } from "../../harness/daemon.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import type { Write } from "../../../pkg/testing/recorded-transport.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import {
  addNodes,
  changeTemplate,
  clearNodes,
  daemonSet,
  ONCE_PLACED,
  rolling,
  surging,
  untilReady,
  untilUpdated,
} from "./daemon-space.ts";
import { testWhere } from "../../harness/where.ts";

const NODES = 12;
/** Caches are filled, and every key has been worked on, long before. */
const QUIET_MS = 1_500;
const OURS = daemonSetController({ workers: 2 });
const FLAGS = ["--disable-admission-plugins=TaintNodesByCondition"];

/** Letters that Go escapes, numbers, quantities and empty values: all that could be written in other bytes. */
const ODD: Partial<PodSpec> = {
  containers: [
    {
      name: "foo",
      image: "bar",
      args: ['--match=<a> & "b"', "ünïcode \u2028 \u0001 😀", ""],
      env: [
        { name: "EMPTY" },
        { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1" } } },
      ],
      resources: { limits: { cpu: "1500m", memory: "1Gi" }, requests: { cpu: "0.5", memory: "1024Mi" } },
      livenessProbe: { httpGet: { path: "/<healthz>", port: "http" }, periodSeconds: 7 },
      ports: [{ name: "http", containerPort: 8080 }],
      securityContext: { privileged: false, runAsUser: 0, capabilities: { add: ["NET_ADMIN"] } },
    },
  ],
  tolerations: [{ operator: "Exists" }],
  volumes: [{ name: "scratch", emptyDir: {} }],
};

describe.each(clusterKinds)("DaemonSets on the $name API server", ({ name, start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  let go: Daemon | undefined;
  beforeAll(async () => {
    cluster = await start(FLAGS);
  });
  beforeEach(async () => {
    space = await cluster.space();
    await addNodes(space, 0, NODES);
  });
  afterEach(async () => {
    await go?.end();
    await cluster.stopControllers();
    await clearNodes(space);
  });
  afterAll(async () => cluster.stop());

  describe.each(predecessorsOn(name))("that take over from %s", (predecessor) => {
    const isGo = predecessor !== "this program";

    test("write nothing to what is settled, and make no revision", async () => {
      const end = await begin(isGo);
      await settle(daemonSet("foo", rolling(3), ODD));
      await end();
      const [before, state] = [cluster.writesTo(space).length, await stateOf(space)];
      cluster.run([OURS]);
      await space.never("a write", QUIET_MS, async () => cluster.writesTo(space).length > before);
      expect(await stateOf(space)).toEqual(state);
      // Nor when it is looked at for another reason.
      await space.patch(resources.daemonSets, "foo", { metadata: { annotations: { touched: "yes" } } });
      await space.never("a write", QUIET_MS, async () => cluster.writesTo(space).length > before);
      expect(cluster.writesTo(space).slice(before).map(lineOf)).toEqual([]);
    });

    test.each([
      { how: "replaces in place", strategy: rolling(3), creates: NODES - 3, deletes: NODES - 3 },
      { how: "surges", strategy: surging(3), creates: NODES - 3, deletes: NODES },
    ])("go on with an update that $how, and restart no pod that need not be", async (update) => {
      const { strategy, creates, deletes } = update;
      const end = await begin(isGo);
      await settle(daemonSet("foo", strategy));
      space.tend({
        fateOf: (pod: Pod): PodFate | undefined => (isOld(pod) ? ONCE_PLACED.fateOf(pod) : undefined),
      });
      await changeTemplate(space, "foo", { containers: [{ name: "foo", image: "bar:2" }] });
      await untilUpdatedPods(space, 3);
      await space.untilSteady(async () => stateOf(space));
      await end();
      const before = cluster.writesTo(space).length;
      cluster.run([OURS, scheduler()]);
      await space.never("a write to a pod", QUIET_MS, async () => changesOf(before).length > 0);
      space.tend(ONCE_PLACED);
      await untilUpdated(space, "foo", NODES);
      await untilReady(space, "foo", NODES);
      const changes = changesOf(before);
      expect(changes.filter(({ verb }) => verb === "create")).toHaveLength(creates);
      expect(changes.filter(({ verb }) => verb === "delete")).toHaveLength(deletes);
      expect(
        cluster
          .writesTo(space)
          .slice(before)
          .filter(({ resource }) => resource === "controllerrevisions"),
      ).toEqual([]);
    });
  });

  testWhere(predecessorsOn(name).length > 1)(
    "leave the Go program nothing to write when it takes over",
    async () => {
      cluster.run([OURS, scheduler()]);
      await settle(daemonSet("foo", rolling(3), ODD));
      await changeTemplate(space, "foo", { terminationGracePeriodSeconds: 1 });
      await untilUpdated(space, "foo", NODES);
      await untilReady(space, "foo", NODES);
      await space.untilSteady(async () => stateOf(space));
      await cluster.stopControllers();
      const state = await stateOf(space);
      const end = await begin(true);
      await space.never("a write", 3 * QUIET_MS, async () => String(await stateOf(space)) !== String(state));
      // It is at work: it rolls back to the revision that we wrote, and numbers it anew.
      await changeTemplate(space, "foo", { terminationGracePeriodSeconds: 0 });
      await untilUpdated(space, "foo", NODES);
      await untilReady(space, "foo", NODES);
      const revisions = await space.list(resources.controllerRevisions);
      expect(revisions.map(({ revision }) => revision).toSorted(compareInt64)).toEqual([2, 3]);
      await end();
    },
  );

  testWhere(predecessorsOn(name).length > 1)(
    "leave the Go program an update to go on with, of which it restarts nothing",
    async () => {
      const end = await begin(false);
      await settle(daemonSet("foo", rolling(3), ODD));
      space.tend({ fateOf: (pod) => (isOld(pod) ? ONCE_PLACED.fateOf(pod) : undefined) });
      await changeTemplate(space, "foo", { containers: [{ name: "foo", image: "bar:2" }] });
      await untilUpdatedPods(space, 3);
      await space.untilSteady(async () => stateOf(space));
      await end();
      const uids = async (): Promise<readonly (string | undefined)[]> =>
        (await space.pods()).map(({ metadata }) => metadata.uid);
      const before = await uids();
      const moved = (await space.pods()).filter((pod) => !isOld(pod)).map(({ metadata }) => metadata.uid);
      const endGo = await begin(true);
      await space.never("another pod", 3 * QUIET_MS, async () => String(await uids()) !== String(before));
      space.tend(ONCE_PLACED);
      await untilUpdated(space, "foo", NODES);
      await untilReady(space, "foo", NODES);
      expect(await uids()).toEqual(expect.arrayContaining(moved));
      expect(await space.list(resources.controllerRevisions)).toHaveLength(2);
      await endGo();
    },
  );

  async function settle(wanted: DaemonSet): Promise<void> {
    space.tend(ONCE_PLACED);
    await space.create(resources.daemonSets, wanted);
    await untilReady(space, "foo", NODES);
    await space.untilSteady(async () => stateOf(space));
  }

  /** The controller, ours or Go's, with our scheduler. */
  async function begin(isGo: boolean): Promise<() => Promise<void>> {
    cluster.run(isGo ? [scheduler()] : [OURS, scheduler()]);
    if (!isGo) return async () => cluster.stopControllers();
    go = new Daemon(goProgram ?? [], [
      `--kubeconfig=${cluster.kubeconfig ?? ""}`,
      "--leader-elect=false",
      "--secure-port=0",
      "--controllers=daemonset-controller",
    ]);
    return async () => {
      await go?.end("SIGTERM");
      go = undefined;
      await cluster.stopControllers();
    };
  }

  /** Pods that controllers created or deleted; the scheduler's bindings are not theirs. */
  function changesOf(before: number): readonly Write[] {
    return cluster
      .writesTo(space)
      .slice(before)
      .filter(({ resource, verb }) => resource === "pods" && (verb === "create" || verb === "delete"));
  }
});

function isOld({ spec }: Pod): boolean {
  return spec?.containers[0]?.image === "bar";
}

async function untilUpdatedPods(space: TestSpace, count: number): Promise<void> {
  await space.until(
    `${count} pods have the new template`,
    async () => (await space.pods()).filter((pod) => !isOld(pod) && pod.spec?.nodeName),
    (pods) => pods.length === count,
  );
}

/** Versions of everything that controllers write. */
async function stateOf(space: TestSpace): Promise<readonly string[]> {
  const lists = await Promise.all([
    space.list(resources.daemonSets),
    space.list(resources.controllerRevisions),
    space.list(resources.pods),
  ]);
  return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}
