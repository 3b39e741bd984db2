import { isPodActive } from "../../../pkg/api/pod.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node } from "../../../pkg/api/types/core-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import {
  controllersIn,
  cronJobsIn,
  deploymentsIn,
  objectsIn,
  ownedBy,
  podsIn,
  replicaSetsIn,
} from "./objects.ts";
import {
  BAD_IMAGE,
  hasBadImage,
  newController,
  newDeployment,
  newReplicaSet,
  newSlowDeployment,
  pickImage,
  pickScript,
} from "./samples.ts";
import { create, type Operation, patch, patchPodStatus, pick, remove, storeOf, tolerantly } from "./hands.ts";
import { repairStatefulSets, statefulOperations } from "./stateful-operations.ts";
import { daemonOperations, repairDaemonSets } from "./daemon-operations.ts";
import { deviceOperations, repairDevices } from "./device-operations.ts";
import { nodeOperations, repairNodes } from "./node-operations.ts";
import { autoscalerOperations, repairAutoscalers } from "./autoscaler-operations.ts";
import { serviceOperations } from "./service-operations.ts";
import { ownerOperations } from "./owner-operations.ts";
import { identityOperations } from "./identity-operations.ts";
import { jobOperations } from "./job-operations.ts";
import { lifecycleOperations, quotasIn } from "./lifecycle-operations.ts";
import { repairVolumes, volumeOperations, volumeWishes } from "./volume-operations.ts";
import type { World } from "./world.ts";

const workloadOperations: Readonly<Record<string, Operation>> = {
  "create deployment": async (world, random) => create(world, resources.deployments, newDeployment(random)),
  "create deployment that ends slowly": async (world, random) =>
    create(world, resources.deployments, newSlowDeployment(random)),
  "create replica set": async (world, random) => create(world, resources.replicaSets, newReplicaSet(random)),
  "create replication controller": async (world, random) =>
    create(world, resources.replicationControllers, newController(random)),
  "delete deployment": async (world, random) =>
    remove(world, resources.deployments, pick(random, deploymentsIn(storeOf(world))), random),
  "delete replica set": async (world, random) =>
    remove(world, resources.replicaSets, pick(random, replicaSetsIn(storeOf(world))), random),
  "delete replication controller": async (world, random) =>
    remove(world, resources.replicationControllers, pick(random, controllersIn(storeOf(world))), random),
  "scale deployment": async (world, random) =>
    scale(world, resources.deployments, pick(random, deploymentsIn(storeOf(world))), randomBelow(random, 13)),
  "scale replica set": async (world, random) => {
    const free = replicaSetsIn(storeOf(world)).filter((set) => controllerOf(set) === undefined);
    return scale(world, resources.replicaSets, pick(random, free), randomBelow(random, 9));
  },
  "scale replication controller": async (world, random) =>
    scale(
      world,
      resources.replicationControllers,
      pick(random, controllersIn(storeOf(world))),
      randomBelow(random, 9),
    ),
  "set image": async (world, random) => setTemplate(world, random, false),
  "set a bad image": async (world, random) => setTemplate(world, random, true),
  pause: async (world, random) => patchDeployment(world, random, { paused: true }),
  resume: async (world, random) => patchDeployment(world, random, { paused: null }),
  "change strategy": async (world, random) =>
    patchDeployment(world, random, { strategy: pickStrategy(random) }),
  "apply a manifest": async (world, random) => {
    const containers = [{ name: "main", image: pickImage(random) }];
    return patchDeployment(world, random, {
      ...(random.next() < 0.7 && { replicas: randomBelow(random, 11) }),
      ...(random.next() < 0.5 && { template: { spec: { containers } } }),
      ...(random.next() < 0.5 && { strategy: pickStrategy(random) }),
    });
  },
  undo,
  "undo by annotation": async (world, random) => {
    const deployment = pick(random, deploymentsIn(storeOf(world)));
    const annotations = { "deprecated.deployment.rollback.to": String(randomBelow(random, 3)) };
    return deployment && patch(world, resources.deployments, deployment, { metadata: { annotations } });
  },
  "delete a pod": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)));
    return (
      pod && tolerantly(pod, async (ref) => void (await world.user.clientFor(resources.pods).delete(ref)))
    );
  },
  "delete a pod by force": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)));
    const options = { gracePeriodSeconds: 0 };
    return (
      pod &&
      tolerantly(pod, async (ref) => void (await world.user.clientFor(resources.pods).delete(ref, options)))
    );
  },
  "fail a pod": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)).filter(isPodActive));
    const body = { status: { phase: "Failed", reason: "Evicted" } };
    return pod && patchPodStatus(world, pod, body);
  },
  "take a pod's labels": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)));
    return pod && patch(world, resources.pods, pod, { metadata: { labels: { app: null } } });
  },
  "take a replica set's labels": async (world, random) => {
    const owned = replicaSetsIn(storeOf(world)).filter((set) => controllerOf(set) !== undefined);
    const replicaSet = pick(random, owned);
    return (
      replicaSet && patch(world, resources.replicaSets, replicaSet, { metadata: { labels: { app: null } } })
    );
  },
  "take a pod from its owner": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)).filter(isPodActive));
    // Without its labels it is of no interest to anybody any more; with them it will be adopted again.
    const metadata = { ownerReferences: null, ...(random.next() < 0.5 && { labels: { app: null } }) };
    return pod && patch(world, resources.pods, pod, { metadata });
  },
  "give a pod labels": async (world, random) => {
    const pod = pick(
      random,
      // A pod that never becomes ready would make whoever adopts it hopeless.
      podsIn(storeOf(world)).filter(
        (pod) => pod.metadata.labels?.["app"] === undefined && !hasBadImage(pod.spec),
      ),
    );
    const owner = pick(random, [...replicaSetsIn(storeOf(world)), ...controllersIn(storeOf(world))]);
    const labels = owner?.spec?.template?.metadata?.labels;
    return pod && labels && patch(world, resources.pods, pod, { metadata: { labels } });
  },
  "create a bare pod": async (world, random) => {
    const owner = pick(random, [...replicaSetsIn(storeOf(world)), ...controllersIn(storeOf(world))]);
    const { metadata, spec } = owner?.spec?.template ?? {};
    const name = `bare-${randomBelow(random, 1_000)}`;
    return (
      spec && create(world, resources.pods, { metadata: { name, labels: metadata?.labels ?? {} }, spec })
    );
  },
  cordon: async (world, random) => {
    const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes));
    return node && patch(world, resources.nodes, node, { spec: { unschedulable: true } });
  },
  uncordon: async (world, random) => {
    const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes));
    return node && patch(world, resources.nodes, node, { spec: { unschedulable: null } });
  },
  "delete a node": async (world, random) => {
    const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes));
    return (
      node && tolerantly(node, async (ref) => void (await world.user.clientFor(resources.nodes).delete(ref)))
    );
  },
  drain: async (world, random) => {
    const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes))?.metadata.name;
    const pods = podsIn(storeOf(world)).filter(({ spec }) => spec?.nodeName === node);
    for (const pod of pods) {
      await tolerantly(pod, async (ref) => void (await world.user.clientFor(resources.pods).delete(ref)));
    }
    return `${node ?? ""} of ${pods.length} pods`;
  },
};

const operations: Readonly<Record<string, Operation>> = joined(
  workloadOperations,
  jobOperations,
  lifecycleOperations,
  ownerOperations,
  statefulOperations,
  daemonOperations,
  serviceOperations,
  identityOperations,
  nodeOperations,
  deviceOperations,
  autoscalerOperations,
  volumeOperations,
);
const workloads = Object.keys(workloadOperations);
const jobs = Object.keys(jobOperations);
const lifecycles = Object.keys(lifecycleOperations);
/** What users do most. */
const frequent = [
  "create deployment",
  "scale deployment",
  "set image",
  "apply a manifest",
  "undo",
  "delete a pod",
  "resume",
];
const frequentOfJobs = [
  "create job",
  "finish a job's pod",
  "disrupt a job's pod",
  "delete a pod",
  "resume job",
];
const ownership = [
  ...Object.keys(ownerOperations),
  "create deployment",
  "create job",
  "create replica set",
  "take a replica set's labels",
];
const deletions = [
  "delete deployment",
  "delete replica set",
  "delete job",
  "delete a pod",
  "scale deployment",
];
const frequentOfLifecycles = ["create job", "create cron job", "create namespace", "create namespace"];

const statefuls = [...Object.keys(statefulOperations), "delete a pod", "drain", "create namespace"];
const frequentOfStatefuls = [
  "create stateful set",
  "scale stateful set",
  "set image of stateful set",
  "delete a stateful pod",
];

const daemons = [
  ...Object.keys(daemonOperations),
  "create daemon set",
  "set image of daemon set",
  "label a node",
  "delete a daemon pod",
  "delete a node",
  "cordon",
  "uncordon",
  "drain",
];

const services = [
  ...Object.keys(serviceOperations),
  "create service",
  "create budget",
  "create deployment",
  "create deployment that ends slowly",
  "scale deployment",
  "set image",
  "create stateful set",
  "create daemon set",
  "delete a pod",
  "fail a pod",
];

export interface Area {
  readonly first: string;
  readonly names: readonly string[];
}

/** What the users of a cluster are busy with, and the first thing that they do. */
export const areas = {
  workloads: { first: "create deployment", names: [...workloads, ...frequent, ...frequent, ...frequent] },
  jobs: { first: "create job", names: [...jobs, ...frequentOfJobs, ...frequentOfJobs] },
  namespaces: { first: "create namespace", names: [...lifecycles, ...frequentOfLifecycles] },
  ownership: {
    first: "create deployment",
    names: [...ownership, ...ownership, ...ownership, ...deletions],
  },
  statefulsets: {
    first: "create stateful set",
    names: [...statefuls, ...frequentOfStatefuls, ...frequentOfStatefuls],
  },
  daemonsets: { first: "create daemon set", names: daemons },
  services: { first: "create deployment", names: [...services, ...services] },
} satisfies Readonly<Record<string, Area>>;

const identities = Object.keys(identityOperations);

/** Names that are used again: of all that users make, and what keeps managers busy with it meanwhile. */
export const identityArea: Area = {
  first: "create deployment",
  names: [
    ...identities,
    ...identities,
    ...Array.from({ length: 8 }, () => "make an owner anew between two writes"),
    ...frequent,
    ...frequentOfJobs,
    ...frequentOfLifecycles,
    ...frequentOfStatefuls,
    "create replica set",
    "create replication controller",
    "create daemon set",
    "create service",
    "write endpoints",
    "create budget",
    "create quota",
    "create replica set in namespace",
  ],
};

const ofNodes = Object.keys(nodeOperations);

/** Nodes that fail, and what runs on them. */
export const nodeArea: Area = {
  first: "create tolerant deployment",
  names: [
    ...ofNodes,
    ...ofNodes,
    "create tolerant deployment",
    "create deployment",
    "create daemon set",
    "create stateful set",
    "create job",
    "scale deployment",
    "set image",
    "delete a pod",
    "delete a node",
    "label a node",
    "cordon",
    "uncordon",
    "drain",
  ],
};

const ofDevices = Object.keys(deviceOperations);

/** Devices that break, and pods that have claims of them. */
export const deviceArea: Area = {
  first: "offer devices",
  names: [
    ...ofDevices,
    ...ofDevices,
    ...Array.from({ length: 10 }, () => "create a pod with claims"),
    ...Array.from({ length: 4 }, () => "make a pod with claims anew"),
    ...Array.from({ length: 6 }, () => "break devices"),
    "offer devices",
    "create a shared claim",
    "delete a node",
    "cordon",
    "uncordon",
    "drain",
  ],
};

/** Volumes that come and go, and what runs with them on nodes that fail. */
export const volumeArea: Area = { first: "create a class", names: volumeWishes };

export type AreaName = keyof typeof areas;

export async function operate(world: World, name: string, random: Random): Promise<void> {
  const what = await operations[name]?.(world, random);
  if (what !== undefined) world.trace?.add("user", `${name}: ${what}`);
}

/** Before the last look at a cluster its users make sure that everything can come to rest. */
export async function repair(world: World): Promise<void> {
  await repairAutoscalers(world);
  await repairVolumes(world);
  await repairNodes(world);
  await repairDevices(world);
  void repairStatefulSets(world);
  void repairDaemonSets(world);
  for (const cronJob of cronJobsIn(storeOf(world)))
    await patch(world, resources.cronJobs, cronJob, { spec: { suspend: true } });
  const hard = { pods: "1000", "count/jobs.batch": "1000" };
  for (const quota of quotasIn(world))
    await patch(world, resources.resourceQuotas, quota, { spec: { hard } });
}

async function scale<T extends ApiObject>(
  world: World,
  resource: TypedResource<T>,
  object: T | undefined,
  replicas: number,
): Promise<string | undefined> {
  if (object === undefined) return undefined;
  return `${await patch(world, resource, object, { spec: { replicas } })} to ${replicas}`;
}

async function setTemplate(world: World, random: Random, isBad: boolean): Promise<string | undefined> {
  const deployment = pick(random, deploymentsIn(storeOf(world)));
  if (deployment === undefined) return undefined;
  const image = isBad ? BAD_IMAGE : pickImage(random);
  const containers = [{ name: "main", image }];
  const annotations = pickScript(random);
  const body = { spec: { template: { metadata: { annotations }, spec: { containers } } } };
  return `${await patch(world, resources.deployments, deployment, body)} to ${image}`;
}

/** For a merge patch: null takes away what goes with the other type. */
function pickStrategy(random: Random): unknown {
  const { strategy } = newDeployment(random).spec ?? {};
  const type = strategy?.type ?? "RollingUpdate";
  return { type, rollingUpdate: type === "Recreate" ? null : strategy?.rollingUpdate };
}

async function patchDeployment(world: World, random: Random, spec: unknown): Promise<string | undefined> {
  const deployment = pick(random, deploymentsIn(storeOf(world)));
  return deployment && patch(world, resources.deployments, deployment, { spec });
}

/** As `kubectl rollout undo`: the template of an older revision is written to the Deployment. */
async function undo(world: World, random: Random): Promise<string | undefined> {
  const deployment = pick(random, deploymentsIn(storeOf(world)));
  if (deployment === undefined) return undefined;
  const older = pick(random, ownedBy(replicaSetsIn(storeOf(world)), deployment));
  const template = older?.spec?.template;
  if (template === undefined) return undefined;
  const { "pod-template-hash": _, ...labels } = template.metadata?.labels ?? {};
  const next: Deployment = {
    ...deployment,
    spec: { ...deployment.spec, template: { ...template, metadata: { ...template.metadata, labels } } },
  } as Deployment;
  const name = await tolerantly(deployment, async () => {
    await world.user.clientFor(resources.deployments).update(next);
  });
  return `${name} to ${older?.metadata.name}`;
}

/** Each name stands for one operation: a second one would take the first one's place in scenarios that are kept. */
function joined(
  ...tables: readonly Readonly<Record<string, Operation>>[]
): Readonly<Record<string, Operation>> {
  const all: Record<string, Operation> = {};
  for (const [name, operation] of tables.flatMap(Object.entries<Operation>)) {
    if (all[name] !== undefined) throw new Error(`two operations are called "${name}"`);
    all[name] = operation;
  }
  return all;
}
