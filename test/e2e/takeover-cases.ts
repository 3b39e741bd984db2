import type { Deployments } from "../harness/deployments.ts";
import { until } from "../harness/until.ts";

/** Something that has come to rest under one program; another one finds nothing to do about it. */
export interface Settled {
  readonly name: string;
  create(deployments: Deployments): Promise<void>;
  isSettled(deployments: Deployments): Promise<boolean>;
}

/** Something that is under way when another program takes over, and that it has to bring to its end. */
export interface Journey {
  readonly name: string;
  /** Under the old program, up to the point where it is left. */
  setOff(deployments: Deployments): Promise<void>;
  /** While nobody leads. */
  meanwhile?(deployments: Deployments): Promise<void>;
  isDone(deployments: Deployments): Promise<boolean>;
  /** Pods that are created from the beginning to the end, by all programs together. */
  readonly podsInAll: number;
}

const isComplete = async (deployments: Deployments): Promise<boolean> => deployments.isComplete("web");

/** A rollout to a template whose pods have no node to run on. */
async function stuckRollout(deployments: Deployments): Promise<boolean> {
  const { status } = await deployments.get("web");
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  return progressing?.reason === "ProgressDeadlineExceeded";
}

export const settledCases: readonly Settled[] = [
  {
    name: "plain",
    create: async (deployments) => deployments.create("web", 3),
    isSettled: isComplete,
  },
  {
    name: "empty",
    create: async (deployments) => deployments.create("web", 0),
    isSettled: async (deployments) =>
      (await deployments.isObserved("web")) && (await deployments.replicaSets("web")).length === 1,
  },
  {
    name: "recreate",
    create: async (deployments) => {
      await deployments.create("web", 2, { strategy: { type: "Recreate" } });
      await finish(deployments);
      await deployments.roll("web", "main:2");
    },
    isSettled: isComplete,
  },
  {
    name: "history",
    create: async (deployments) => {
      await deployments.create("web", 2, { revisionHistoryLimit: 2 });
      for (const image of ["main:2", "main:3", "main:4", "main:1"]) {
        await finish(deployments);
        await deployments.roll("web", image);
      }
    },
    isSettled: async (deployments) =>
      (await isComplete(deployments)) && (await deployments.replicaSets("web")).length === 3,
  },
  {
    name: "scaled",
    create: async (deployments) => {
      await deployments.create("web", 2, { minReadySeconds: 1 });
      await finish(deployments);
      await deployments.patch("web", { replicas: 6 });
    },
    isSettled: isComplete,
  },
  {
    name: "paused",
    create: async (deployments) => {
      await deployments.create("web", 2);
      await finish(deployments);
      await deployments.patch("web", { paused: true });
      await deployments.roll("web", "main:2");
    },
    isSettled: async (deployments) => deployments.isObserved("web"),
  },
  {
    name: "stuck",
    create: async (deployments) => {
      await deployments.create("web", 3, { progressDeadlineSeconds: 2 });
      await finish(deployments);
      await deployments.patch("web", { template: { spec: { nodeSelector: { no: "such-node" } } } });
    },
    isSettled: stuckRollout,
  },
  {
    name: "paused-halfway",
    create: async (deployments) => {
      await deployments.create("web", 4);
      await finish(deployments);
      await halve(deployments);
      await deployments.patch("web", { paused: true });
    },
    isSettled: async (deployments) => deployments.isObserved("web"),
  },
];

async function finish(deployments: Deployments): Promise<void> {
  await until("the Deployment is complete", async () => isComplete(deployments));
}

/** Begins a rollout that cannot end, and waits until both revisions have replicas. */
async function halve(deployments: Deployments): Promise<void> {
  await deployments.patch("web", { template: { spec: { nodeSelector: { no: "such-node" } } } });
  await until("both revisions have replicas", async () => {
    const [old = 0, next = 0] = await replicasOf(deployments);
    return old > 0 && next > 0 && (await deployments.isObserved("web"));
  });
}

async function replicasOf(deployments: Deployments): Promise<readonly number[]> {
  const all = await deployments.replicaSets("web");
  return all.map(({ spec }) => spec?.replicas ?? 1).toSorted((left, right) => right - left);
}

export const journeys: readonly Journey[] = [
  {
    name: "rollout",
    setOff: async (deployments) => {
      const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await deployments.create("web", 4, { minReadySeconds: 2, strategy });
      await finish(deployments);
      await deployments.roll("web", "main:2");
      await until("one pod of the new revision is there", async () => {
        const { status } = await deployments.get("web");
        return (await deployments.isObserved("web")) && status?.updatedReplicas === 1;
      });
    },
    isDone: isComplete,
    podsInAll: 8,
  },
  {
    name: "scale",
    setOff: async (deployments) => {
      await deployments.create("web", 2);
      await finish(deployments);
    },
    meanwhile: async (deployments) => deployments.patch("web", { replicas: 5 }),
    isDone: isComplete,
    podsInAll: 5,
  },
  {
    name: "proportional-scale",
    // 4 of the old and 1 of the new revision, then 8 and one more than that: 7 and 2.
    setOff: async (deployments) => {
      await deployments.create("web", 4, { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
      await finish(deployments);
      await halve(deployments);
      await deployments.patch("web", { paused: true });
      await until("the pause is observed", async () => deployments.isObserved("web"));
    },
    meanwhile: async (deployments) => deployments.patch("web", { replicas: 8 }),
    isDone: async (deployments) => (await replicasOf(deployments)).join() === "7,2",
    podsInAll: 9,
  },
];
