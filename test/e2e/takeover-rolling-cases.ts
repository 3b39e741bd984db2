import { isPodReady } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import type {
  DaemonSet,
  DaemonSetSpec,
  StatefulSet,
  StatefulSetSpec,
} from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { SCRIPT_ANNOTATION } from "../../pkg/cluster/hollow/script.ts";
import type { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";
import type { Journey, Settled } from "./takeover-cases.ts";

/** Nodes of the world that these cases are played in, each of which has a pod of every DaemonSet. */
export const NODES = 3;
/** On a machine that others use, too. */
export const LIMIT_MS = 180_000;
export const POLL_MS = 100;
const REPLICAS = 3;
export const NAME = "web";
const LABELS = { app: NAME };

/** Pods of this template run, but are not ready before they are told: an update goes no further than to the first. */
const HELD = { [SCRIPT_ANNOTATION]: "unready; run" };

function template(image: string, annotations = {}): PodTemplateSpec {
  return {
    metadata: { labels: LABELS, annotations },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "main", image }] },
  };
}

/** One workload of either kind, by what both have in common. */
interface Workload {
  create(scene: Deployments): Promise<void>;
  patch(scene: Deployments, spec: unknown): Promise<void>;
  /** How many pods there are of the latest template, and whether nothing is left to be done. */
  read(scene: Deployments): Promise<Progress>;
}

interface Progress {
  readonly updated: number;
  readonly isComplete: boolean;
  /** Whether this is about the spec as it is. */
  readonly isObserved: boolean;
}

function statefulSet(spec: Partial<StatefulSetSpec> = {}): Workload {
  const { statefulSets } = resources;
  const get = async ({ client, namespace }: Deployments): Promise<StatefulSet> =>
    client.clientFor<StatefulSet>(statefulSets).get({ namespace, name: NAME });
  return {
    create: async ({ client, namespace }) => {
      await client.clientFor<StatefulSet>(statefulSets).create({
        metadata: { namespace, name: NAME },
        spec: {
          replicas: REPLICAS,
          serviceName: NAME,
          selector: { matchLabels: LABELS },
          template: template("main:1"),
          ...spec,
        },
      });
    },
    patch: async ({ client, namespace }, change) => {
      const body = { spec: change };
      await client.clientFor(statefulSets).patch({ namespace, name: NAME }, { type: "strategic", body });
    },
    read: async (scene) => {
      const { metadata, status } = await get(scene);
      const counts = [status?.updatedReplicas, status?.availableReplicas, status?.replicas];
      return {
        updated: status?.updatedReplicas ?? 0,
        isComplete: counts.every((count) => count === REPLICAS),
        isObserved: status?.observedGeneration === metadata.generation,
      };
    },
  };
}

function daemonSet(spec: Partial<DaemonSetSpec> = {}): Workload {
  const { daemonSets } = resources;
  const get = async ({ client, namespace }: Deployments): Promise<DaemonSet> =>
    client.clientFor<DaemonSet>(daemonSets).get({ namespace, name: NAME });
  return {
    create: async ({ client, namespace }) => {
      await client.clientFor<DaemonSet>(daemonSets).create({
        metadata: { namespace, name: NAME },
        spec: { selector: { matchLabels: LABELS }, template: template("main:1"), ...spec },
      });
    },
    patch: async ({ client, namespace }, change) => {
      const body = { spec: change };
      await client.clientFor(daemonSets).patch({ namespace, name: NAME }, { type: "strategic", body });
    },
    read: async (scene) => {
      const { metadata, status } = await get(scene);
      const counts = [
        status?.updatedNumberScheduled,
        status?.numberAvailable,
        status?.currentNumberScheduled,
      ];
      return {
        updated: status?.updatedNumberScheduled ?? 0,
        isComplete: counts.every((count) => count === NODES),
        isObserved: status?.observedGeneration === metadata.generation,
      };
    },
  };
}

async function isComplete(workload: Workload, scene: Deployments): Promise<boolean> {
  const progress = await workload.read(scene);
  return progress.isObserved && progress.isComplete;
}

async function createComplete(workload: Workload, scene: Deployments): Promise<void> {
  await workload.create(scene);
  await until("all pods are available", async () => isComplete(workload, scene), LIMIT_MS, POLL_MS);
}

/** Rolls to a template whose pods are not ready, and waits for the one that holds up all others. */
async function rollHalfway(workload: Workload, scene: Deployments): Promise<void> {
  await createComplete(workload, scene);
  await workload.patch(scene, { template: template("main:2", HELD) });
  const isHalfway = async (): Promise<boolean> => {
    const updated = (await podsOf(scene)).filter((pod) => imageOf(pod) === "main:2");
    const [pod] = updated;
    return (
      updated.length === 1 && pod?.status?.phase === "Running" && (await workload.read(scene)).isObserved
    );
  };
  await until("one pod of the new revision runs", isHalfway, LIMIT_MS, POLL_MS);
}

/** Lets every pod that waits become ready. */
async function release(scene: Deployments): Promise<void> {
  const pods = scene.client.clientFor<Pod>(resources.pods);
  const body = { metadata: { annotations: { [SCRIPT_ANNOTATION]: "run" } } };
  for (const pod of await podsOf(scene)) {
    const { name = "", annotations = {}, deletionTimestamp } = pod.metadata;
    const isHeld = annotations[SCRIPT_ANNOTATION] === HELD[SCRIPT_ANNOTATION] && !isPodReady(pod);
    if (!isHeld || deletionTimestamp !== undefined) continue;
    await pods.patch({ namespace: scene.namespace, name }, { type: "merge", body });
  }
}

async function podsOf({ client, namespace }: Deployments): Promise<readonly Pod[]> {
  return (await client.clientFor<Pod>(resources.pods).list({ namespace })).items;
}

/** Of all pods, by name. */
export async function podUids(scene: Deployments): Promise<readonly string[]> {
  return (await podsOf(scene)).map(({ metadata }) => `${metadata.name} ${metadata.uid}`).toSorted();
}

function imageOf({ spec }: Pod): string | undefined {
  return spec?.containers[0]?.image;
}

function settled(name: string, workload: Workload, changes: readonly unknown[] = []): Settled {
  return {
    name,
    create: async (scene) => {
      await createComplete(workload, scene);
      for (const change of changes) {
        await workload.patch(scene, change);
        const isDone = async (): Promise<boolean> => isComplete(workload, scene);
        await until(`${name}: ${JSON.stringify(change)} is done`, isDone, LIMIT_MS, POLL_MS);
      }
    },
    isSettled: async (scene) => isComplete(workload, scene),
  };
}

/** Another template came, and only some of the pods get it. */
function settledHalfway(name: string, workload: Workload, updated: number): Settled {
  return {
    name,
    create: async (scene) => {
      await createComplete(workload, scene);
      await workload.patch(scene, { template: template("main:2") });
    },
    isSettled: async (scene) => {
      const pods = await podsOf(scene);
      const progress = await workload.read(scene);
      return (
        progress.isObserved &&
        progress.updated === updated &&
        pods.length === REPLICAS &&
        pods.every((pod) => isPodReady(pod)) &&
        pods.filter((pod) => imageOf(pod) === "main:2").length === updated
      );
    },
  };
}

const retention = { whenDeleted: "Delete", whenScaled: "Delete" };
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const rolls = ["main:2", "main:3", "main:2"].map((image) => ({ template: template(image) }));

export const settledRollingCases: readonly Settled[] = [
  settled("set-with-claims", statefulSet({ volumeClaimTemplates: [claim] })),
  settled(
    "set-of-claims-that-go",
    statefulSet({ volumeClaimTemplates: [claim], persistentVolumeClaimRetentionPolicy: retention }),
  ),
  settled("set-parallel", statefulSet({ podManagementPolicy: "Parallel", ordinals: { start: 7 } })),
  settled("set-rolled-back", statefulSet({ revisionHistoryLimit: 1 }), rolls),
  settledHalfway(
    "set-parted",
    statefulSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } }),
    1,
  ),
  settledHalfway("set-on-delete", statefulSet({ updateStrategy: { type: "OnDelete" } }), 0),
  settled("daemon", daemonSet()),
  settled("daemon-rolled-back", daemonSet({ revisionHistoryLimit: 1 }), rolls),
  settledHalfway("daemon-on-delete", daemonSet({ updateStrategy: { type: "OnDelete" } }), 0),
];

/** An update whose first pod holds up the others until after the takeover. */
function update(name: string, workload: Workload, podsInAll: number): Journey {
  return {
    name,
    setOff: async (scene) => rollHalfway(workload, scene),
    isDone: async (scene) => {
      await release(scene);
      return isComplete(workload, scene);
    },
    podsInAll,
  };
}

/** The same, and while nobody leads the user has second thoughts: the first pod is made again, of the first template. */
function rollback(name: string, workload: Workload, podsInAll: number): Journey {
  return {
    ...update(name, workload, podsInAll),
    meanwhile: async (scene) =>
      workload.patch(scene, { template: { $patch: "replace", ...template("main:1") } }),
  };
}

export const rollingJourneys: readonly Journey[] = [
  update("set-update", statefulSet({ volumeClaimTemplates: [claim] }), 2 * REPLICAS),
  update("set-update-parallel", statefulSet({ podManagementPolicy: "Parallel" }), 2 * REPLICAS),
  rollback("set-rollback", statefulSet(), REPLICAS + 2),
  update("daemon-update", daemonSet(), 2 * NODES),
  update(
    "daemon-update-that-surges",
    daemonSet({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    }),
    2 * NODES,
  ),
  rollback("daemon-rollback", daemonSet(), NODES + 2),
];
