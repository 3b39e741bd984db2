import { compareInt64 } from "../../../pkg/api/int64.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { statefulSetController } from "../../../controllers/statefulset/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { StatefulSet, StatefulSetSpec } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { lineOf } from "../../harness/controller-world.ts";
import { Daemon, goProgram, predecessorsOn } from "../../harness/daemon.ts";
import type { PodFate } from "../../harness/hollow-kubelet.ts";
import type { Write } from "../../../pkg/testing/recorded-transport.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { LABELS } from "./workloads.ts";
import { testWhere } from "../../harness/where.ts";

/** Caches are filled, and every key has been worked on, long before. */
const QUIET_MS = 1_500;
const OURS = [statefulSetController({ workers: 5 })];

/** Letters that Go escapes, keys that JavaScript sorts, numbers, quantities: all that could be written in other bytes. */
const ODD: PodTemplateSpec = {
  metadata: { labels: LABELS, annotations: { "10": "a", "9": "b", note: "<b> & \u2028 é 😀 \u0001\t" } },
  spec: {
    terminationGracePeriodSeconds: 0,
    nodeSelector: { "10": "a", "9": "b" },
    tolerations: [{ key: "k", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 }],
    containers: [
      {
        name: "main",
        image: "main:1",
        args: ["a && b > c < d", ""],
        env: [
          { name: "EMPTY" },
          { name: "LIMIT", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1" } } },
        ],
        resources: { limits: { cpu: "1500m", memory: "0.5Gi" }, requests: { cpu: "0.5", memory: "1e6" } },
        securityContext: { privileged: false, runAsUser: 0 },
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ],
    volumes: [{ name: "scratch", emptyDir: {} }],
  },
};

const kinds: readonly (readonly [name: string, spec: Partial<StatefulSetSpec>])[] = [
  ["plain", {}],
  ["parallel", { podManagementPolicy: "Parallel", ordinals: { start: 7 } }],
  ["dying", { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" } }],
  ["parted", { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } }],
  ["unasked", { updateStrategy: { type: "OnDelete" } }],
];

describe.each(clusterKinds)("StatefulSets on the $name API server", ({ name, start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  let go: Daemon | undefined;
  beforeAll(async () => {
    cluster = await start();
  });
  beforeEach(async () => {
    space = await cluster.space();
    space.tend({});
  });
  afterEach(async () => {
    await go?.end();
    await cluster.stopControllers();
  });
  afterAll(async () => cluster.stop());

  describe.each(predecessorsOn(name))("that take over from %s", (predecessor) => {
    const isGo = predecessor !== "this program";

    test("write nothing to what is settled, and make no revision", async () => {
      const end = await begin(isGo);
      await settleAll();
      await end();
      const [before, state] = [cluster.writesTo(space).length, await stateOf(space)];
      cluster.run(OURS);
      await space.never("a write", QUIET_MS, async () => cluster.writesTo(space).length > before);
      // Nor when it is looked at for another reason.
      await space.patch(resources.statefulSets, "plain", { metadata: { annotations: { touched: "yes" } } });
      await space.never("a write", QUIET_MS, async () => cluster.writesTo(space).length > before);
      expect(cluster.writesTo(space).slice(before).map(lineOf)).toEqual([]);
      expect((await stateOf(space)).filter((line) => !line.startsWith("plain "))).toEqual(
        state.filter((line) => !line.startsWith("plain ")),
      );
    });

    test("go on with an update where it is, and restart no pod that need not be", async () => {
      const end = await begin(isGo);
      await space.create(resources.statefulSets, statefulSet("web", 4));
      await untilSettled("web", 4);
      // The first new pod is not ready before the takeover.
      const old = (pod: Pod): boolean => pod.spec?.containers[0]?.image === "main:1";
      space.tend({ fateOf: (pod): PodFate | undefined => (old(pod) ? "ready" : undefined) });
      await roll("web", "main:2");
      await space.until(
        "one pod is new",
        async () => (await space.pods()).filter((pod) => !old(pod)).length,
        (count) => count === 1,
      );
      await space.untilSteady(async () => stateOf(space));
      await end();
      const before = cluster.writesTo(space).length;
      cluster.run(OURS);
      await space.never("a write", QUIET_MS, async () => cluster.writesTo(space).length > before);
      space.tend({});
      await untilSettled("web", 4);
      const writes = cluster.writesTo(space).slice(before);
      expect(linesOf(writes, "pods", "delete")).toEqual(["web-2", "web-1", "web-0"]);
      expect(linesOf(writes, "pods", "create")).toHaveLength(3);
      expect(writes.filter(({ resource }) => resource === "controllerrevisions")).toEqual([]);
    });
  });

  testWhere(predecessorsOn(name).length > 1)(
    "leave the Go program nothing to write when it takes over",
    async () => {
      cluster.run(OURS);
      await settleAll();
      await cluster.stopControllers();
      const state = await stateOf(space);
      const end = await begin(true);
      await space.never("a write", 3 * QUIET_MS, async () => String(await stateOf(space)) !== String(state));
      // It is at work: it rolls, and back to the revision that we wrote, which it numbers anew.
      await roll("plain", "main:2");
      await untilSettled("plain", 2);
      await roll("plain", "main:1");
      await untilSettled("plain", 2);
      const revisions = (await space.list(resources.controllerRevisions)).filter(({ metadata }) =>
        metadata.name?.startsWith("plain-"),
      );
      expect(revisions.map(({ revision }) => revision).toSorted(compareInt64)).toEqual([2, 3]);
      await end();
    },
  );

  async function settleAll(): Promise<void> {
    for (const [name, spec] of kinds) await space.create(resources.statefulSets, statefulSet(name, 2, spec));
    for (const [name] of kinds) await untilSettled(name, 2);
    await space.untilSteady(async () => stateOf(space));
  }

  async function roll(name: string, image: string): Promise<void> {
    await space.update(resources.statefulSets, name, (owner) => {
      const [container] = owner.spec?.template.spec?.containers ?? [];
      const template = { ...owner.spec?.template };
      const containers = container === undefined ? [] : [{ ...container, image }];
      const changed = { ...template, spec: { ...template.spec, containers } };
      return { ...owner, ...(owner.spec && { spec: { ...owner.spec, template: changed } }) };
    });
  }

  async function untilSettled(name: string, replicas: number): Promise<void> {
    await space.until(
      `${name} is settled`,
      async () => space.get(resources.statefulSets, name),
      ({ metadata, status }) =>
        status?.observedGeneration === metadata.generation &&
        status?.updatedReplicas === replicas &&
        status.readyReplicas === replicas,
    );
  }

  /** The controller, ours or Go's. */
  async function begin(isGo: boolean): Promise<() => Promise<void>> {
    if (!isGo) {
      cluster.run(OURS);
      return async () => cluster.stopControllers();
    }
    go = new Daemon(goProgram ?? [], [
      `--kubeconfig=${cluster.kubeconfig ?? ""}`,
      "--leader-elect=false",
      "--secure-port=0",
      "--controllers=statefulset-controller",
    ]);
    return async () => {
      await go?.end("SIGTERM");
      go = undefined;
    };
  }
});

function statefulSet(name: string, replicas: number, more: Partial<StatefulSetSpec> = {}): StatefulSet {
  const labels = { ...LABELS, set: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...ODD, metadata: { ...ODD.metadata, labels } },
      volumeClaimTemplates: [
        {
          metadata: { name: "data", labels: { of: name } },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
      ...more,
    },
  };
}

function linesOf(writes: readonly Write[], resource: string, verb: string): readonly string[] {
  return writes.filter((write) => write.resource === resource && write.verb === verb).map(({ name }) => name);
}

/** Versions of everything that controllers write. */
async function stateOf(space: TestSpace): Promise<readonly string[]> {
  const lists = await Promise.all([
    space.list(resources.statefulSets),
    space.list(resources.controllerRevisions),
    space.list(resources.pods),
    space.list(resources.persistentVolumeClaims),
  ]);
  return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}
