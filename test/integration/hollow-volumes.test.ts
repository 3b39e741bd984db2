import { afterEach, beforeEach, expect, test } from "vitest";
import { attachDetachController } from "../../controllers/attachdetach/controller.ts";
import { nodeLifecycleController } from "../../controllers/nodelifecycle/controller.ts";
import { statefulSetController } from "../../controllers/statefulset/controller.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { volumeBinder } from "../harness/volume-binder.ts";

const MINUTE = 60_000;
const LABELS = { app: "db" };

let clock: VirtualClock;
let cluster: EmbeddedCluster;
beforeEach(() => {
  clock = new VirtualClock();
});
afterEach(async () => finished(cluster.stop()));

async function finished<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => (isDone = true));
  watched.catch(() => undefined);
  await clock.runUntil(() => isDone, MINUTE);
  return watched;
}

async function start(...more: readonly ControllerDescriptor[]): Promise<void> {
  const controllers = [statefulSetController({ workers: 1 }), volumeBinder(), ...more];
  const options = { clock, random: seededRandom(1), nodes: 2, controllers };
  cluster = await finished(EmbeddedCluster.start(options));
}

const attachDetach = () => attachDetachController({ isCompared: true, disableForceDetachOnTimeout: false });

async function createSet(replicas: number): Promise<void> {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const set: StatefulSet = {
    metadata: { name: "db", namespace: "default" },
    spec: {
      replicas,
      serviceName: "db",
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          containers: [{ name: "main", image: "db", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
        },
      },
      volumeClaimTemplates: [{ metadata: { name: "data" }, spec }],
    },
  };
  await finished(client().clientFor<StatefulSet>(resources.statefulSets).create(set));
}

const client = () => cluster.client("admin");

async function phases(): Promise<readonly string[]> {
  const { items } = await finished(client().clientFor<Pod>(resources.pods).list({ namespace: "default" }));
  return items.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`);
}

/** How many volumes are attached, are said to be so by nodes, and are in use. */
async function volumes(): Promise<readonly number[]> {
  const { items: nodes } = await finished(client().clientFor<Node>(resources.nodes).list());
  const { items } = await finished(client().clientFor(resources.volumeAttachments).list());
  const count = (lists: readonly (readonly unknown[] | undefined)[]): number =>
    lists.flatMap((each) => each ?? []).length;
  return [
    items.filter(({ status }) => status?.attached === true).length,
    count(nodes.map(({ status }) => status?.volumesAttached)),
    count(nodes.map(({ status }) => status?.volumesInUse)),
  ];
}

test("pods of a StatefulSet run when their volumes are attached, which go from the nodes with them", async () => {
  await start(attachDetach());
  await createSet(3);
  await clock.advanceBy(20_000);
  expect(await phases()).toEqual(["db-0 Running", "db-1 Running", "db-2 Running"]);
  expect(await volumes()).toEqual([3, 3, 3]);
  const { items } = await finished(client().clientFor(resources.csiNodes).list());
  expect(items.map(({ metadata, spec }) => [metadata.name, spec.drivers[0]?.name])).toEqual([
    ["node-0", "hollow.kcm.dev"],
    ["node-1", "hollow.kcm.dev"],
  ]);
  const scale = { type: "merge", body: { spec: { replicas: 1 } } } as const;
  await finished(
    client().clientFor(resources.statefulSets).patch({ namespace: "default", name: "db" }, scale),
  );
  await clock.advanceBy(MINUTE);
  expect(await phases()).toEqual(["db-0 Running"]);
  expect(await volumes()).toEqual([1, 1, 1]);
});

test("pods of one claim that is for one node come to that node, and run", async () => {
  await start(attachDetach());
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  await finished(
    client()
      .clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims)
      .create({ metadata: { namespace: "default", name: "shop" }, spec: claim }),
  );
  const pods = client().clientFor<Pod>(resources.pods);
  for (const name of ["a", "b", "c"]) {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "shop" } }];
    const spec = { containers: [{ name: "main", image: "shop" }], volumes };
    await finished(pods.create({ metadata: { namespace: "default", name }, spec }));
    if (name === "a") await clock.advanceBy(10_000);
  }
  await clock.advanceBy(10_000);
  expect(await phases()).toEqual(["a Running", "b Running", "c Running"]);
  const { items } = await finished(pods.list({ namespace: "default" }));
  expect(new Set(items.map(({ spec }) => spec?.nodeName)).size).toBe(1);
});

test("a node that is silent keeps its volume for six minutes after its pod is gone", async () => {
  await start(
    attachDetach(),
    nodeLifecycleController({
      monitorPeriodMs: 5_000,
      monitorGracePeriodMs: 50_000,
      startupGracePeriodMs: 60_000,
      evictionRate: 0.1,
      secondaryEvictionRate: 0.01,
      largeClusterSizeThreshold: 50,
      unhealthyZoneThreshold: 0.55,
    }),
  );
  await createSet(1);
  await clock.advanceBy(20_000);
  expect(await phases()).toEqual(["db-0 Running"]);
  const pods = client().clientFor<Pod>(resources.pods);
  const ref = { namespace: "default", name: "db-0" };
  const { spec } = await finished(pods.get(ref));
  const annotations = { "kcm.dev/fails": "silent" };
  const fails = { type: "merge", body: { metadata: { annotations } } } as const;
  await finished(
    client()
      .clientFor(resources.nodes)
      .patch({ name: spec?.nodeName ?? "" }, fails),
  );
  await clock.advanceBy(2 * MINUTE);
  await finished(pods.delete(ref, { gracePeriodSeconds: 0 }));
  await clock.advanceBy(5 * MINUTE);
  const waiting = await finished(pods.get(ref));
  expect([waiting.spec?.nodeName === spec?.nodeName, waiting.status?.phase]).toEqual([false, "Pending"]);
  await clock.advanceBy(2 * MINUTE);
  expect(await phases()).toEqual(["db-0 Running"]);
});

test("where nobody attaches, pods do not wait for it", async () => {
  await start();
  await createSet(1);
  await clock.advanceBy(20_000);
  expect(await phases()).toEqual(["db-0 Running"]);
  expect(await volumes()).toEqual([0, 0, 0]);
});
