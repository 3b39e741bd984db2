import { isPodActive } from "../../../pkg/api/pod.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { PersistentVolumeClaim, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { bucketName } from "../../../pkg/apiserver/server/served-resource.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { newDaemonSet } from "./daemon-operations.ts";
import { create, type Operation, pick, storeOf, tolerantly } from "./hands.ts";
import { newCronJob, newJob } from "./job-samples.ts";
import { objectsIn, podsIn } from "./objects.ts";
import { newController, newDeployment, newReplicaSet } from "./samples.ts";
import { newBudget, newEndpoints, newService } from "./service-operations.ts";
import { newStatefulSet } from "./stateful-samples.ts";
import type { World } from "./world.ts";

/** How long a name is waited for that is to be free. */
const PATIENCE_MS = 120_000;
/** Writes of managers until the worst moment. */
const MOST_WRITES = 12;
const TRIES = 16;
const TEAM = "team";

type Anew = (world: World, random: Random, like?: ApiObject) => string | undefined;

/** Makes a thing of the kind anew under its name: as it was, or another. */
function anew<T extends ApiObject>(
  resource: TypedResource<T>,
  another: (random: Random) => T,
  policies: readonly Policy[] = ["Background", "Background", "Foreground", "Orphan"],
): Anew {
  return (world, random, like) => {
    const all = objectsIn<T>(storeOf(world), resource);
    const old =
      like === undefined ? pick(random, all) : all.find(({ metadata }) => isSame(metadata, like.metadata));
    if (old === undefined) return undefined;
    const { name = "", namespace = "default" } = old.metadata;
    const model = random.next() < 0.5 ? old : sampleOf(name, () => another(random));
    const { spec } = (model ?? old) as { readonly spec?: unknown };
    const next = { metadata: { name, namespace }, ...(spec !== undefined && { spec }) } as unknown as T;
    whenGone(world, resource, old, () => void create(world, resource, next));
    const propagationPolicy = pick(random, policies) ?? "Background";
    void tolerantly(old, async (ref) => {
      await world.user.clientFor(resource).delete(ref, { propagationPolicy });
    });
    return `${name} ${propagationPolicy}`;
  };
}

/** Another of this name, if there are such: what a name selects goes with it. */
function sampleOf<T extends ApiObject>(name: string, another: () => T): T | undefined {
  return Array.from({ length: TRIES }, another).find(({ metadata }) => (metadata.name ?? name) === name);
}

type Policy = "Background" | "Foreground" | "Orphan";

const isSame = (one: ApiObject["metadata"], other: ApiObject["metadata"]): boolean =>
  one.name === other.name && one.namespace === other.namespace;

/** In the moment in which the object is gone, before anybody can have heard of it. */
function whenGone(world: World, resource: TypedResource<ApiObject>, old: ApiObject, then: () => void): void {
  const stop = storeOf(world).subscribe(bucketName(resource.group, resource.plural), ({ type, object }) => {
    if (type !== "DELETED" || object.metadata.uid !== old.metadata.uid) return;
    stop();
    if (!world.usersAreDone) then();
  });
  world.clock.setTimer(PATIENCE_MS, stop);
}

/** What a set without claims has left is not adopted well by another of its name: see the README. */
const ALL_GO: readonly Policy[] = ["Background", "Background", "Foreground"];

const owners: Readonly<Record<string, Anew>> = {
  Deployment: anew(resources.deployments, newDeployment),
  ReplicaSet: anew(resources.replicaSets, newReplicaSet),
  ReplicationController: anew(resources.replicationControllers, newController),
  StatefulSet: anew(resources.statefulSets, newStatefulSet, ALL_GO),
  DaemonSet: anew(resources.daemonSets, newDaemonSet, ALL_GO),
  Job: anew(resources.jobs, newJob, ALL_GO),
  CronJob: anew(resources.cronJobs, newCronJob, ALL_GO),
};

const others: Readonly<Record<string, Anew>> = {
  Service: anew(resources.services, newService),
  PodDisruptionBudget: anew(resources.podDisruptionBudgets, newBudget),
  ResourceQuota: anew(resources.resourceQuotas, newQuota),
  ServiceAccount: anew(resources.serviceAccounts, () => ({ metadata: {} })),
  PersistentVolumeClaim: anew(resources.persistentVolumeClaims, newClaim),
};

/** What users do with names: they use them again, at the worst moments. */
export const identityOperations: Readonly<Record<string, Operation>> = {
  ...Object.fromEntries(
    Object.entries({ ...owners, ...others }).map(([kind, make]): [string, Operation] => [
      `make anew: ${kind}`,
      async (world, random) => make(world, random),
    ]),
  ),
  "make an owner anew between two writes": async (world, random) => {
    let left = randomBelow(random, MOST_WRITES);
    world.listeners.add(({ answer, facts }) => {
      if (facts.resource === "leases" || facts.resource === "events" || left-- > 0) return false;
      const owner = ownerOf(world, answer as Partial<ApiObject> | undefined);
      const make = owners[owner?.kind ?? ""];
      if (owner === undefined || make === undefined) return false;
      const what = make(world, random, owner);
      world.trace?.add("user", `makes anew: ${owner.kind} ${what}`);
      return true;
    });
    return `after ${left}`;
  },
  "make endpoints anew": async (world, random) => {
    const endpoints = pick(random, objectsIn(storeOf(world), resources.endpoints));
    if (endpoints === undefined) return undefined;
    const { name = "" } = endpoints.metadata;
    whenGone(world, resources.endpoints, endpoints, () => {
      void create(world, resources.endpoints, newEndpoints(random, name));
    });
    return tolerantly(endpoints, async (ref) => {
      await world.user.clientFor(resources.endpoints).delete(ref);
    });
  },
  "put another slice in the place of one": async (world, random) => {
    const slice = pick(random, objectsIn(storeOf(world), resources.endpointSlices));
    if (slice === undefined) return undefined;
    const { name = "" } = slice.metadata;
    whenGone(world, resources.endpointSlices, slice, () => {
      const endpoints = [{ addresses: ["192.168.1.1"] }];
      void create(world, resources.endpointSlices, { metadata: { name }, addressType: "IPv4", endpoints });
    });
    return tolerantly(slice, async (ref) => {
      await world.user.clientFor(resources.endpointSlices).delete(ref);
    });
  },
  "put another pod in the place of one": async (world, random) => {
    const pod = pick(random, podsIn(storeOf(world)).filter(isPodActive));
    if (pod === undefined) return undefined;
    const { name = "", namespace = "default", labels = {} } = pod.metadata;
    // Claims cannot be added to a pod: a set adopts none well that it has not made. See the README.
    const isOfSet = controllerOf(pod)?.kind === "StatefulSet";
    const app = isOfSet || random.next() < 0.5 ? "stranger" : (labels["app"] ?? "");
    const metadata = { name, namespace, labels: { app } };
    const stranger: Pod = { metadata, spec: { containers: [{ name: "main", image: "app:1" }] } };
    whenGone(world, resources.pods, pod, () => void create(world, resources.pods, stranger));
    return tolerantly(pod, async (ref) => {
      await world.user.clientFor(resources.pods).delete(ref, { gracePeriodSeconds: 0 });
    });
  },
  "make a namespace anew": async (world, random) => {
    const namespace = objectsIn(storeOf(world), resources.namespaces).find(
      ({ metadata }) => metadata.name === TEAM,
    );
    if (namespace === undefined) return undefined;
    whenGone(world, resources.namespaces, namespace, () => void fill(world, random));
    return tolerantly({ metadata: { name: TEAM } }, async (ref) => {
      await world.user.clientFor(resources.namespaces).delete(ref);
    });
  },
};

/** With things of the names that it had. */
async function fill(world: World, random: Random): Promise<void> {
  const namespace = { metadata: { name: TEAM } };
  await tolerantly(
    namespace,
    async () => void (await world.user.clientFor(resources.namespaces).create(namespace)),
  );
  const inTeam = <T extends ApiObject>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, namespace: TEAM },
  });
  await create(world, resources.replicaSets, inTeam(newReplicaSet(random)));
  await create(world, resources.jobs, inTeam(newJob(random)));
  await create(world, resources.services, inTeam(newService(random)));
}

/** Who controls what was written, or what was written itself. */
function ownerOf(world: World, written: Partial<ApiObject> | undefined): ApiObject | undefined {
  if (written?.metadata === undefined) return undefined;
  const { uid } = controllerOf({ metadata: written.metadata }) ?? written.metadata;
  for (const resource of OWNERS) {
    const owner = objectsIn<ApiObject>(storeOf(world), resource).find(({ metadata }) => metadata.uid === uid);
    if (owner !== undefined) return { ...owner, kind: resource.kind };
  }
  return undefined;
}

const OWNERS: readonly TypedResource<ApiObject>[] = [
  resources.deployments,
  resources.replicaSets,
  resources.replicationControllers,
  resources.statefulSets,
  resources.daemonSets,
  resources.jobs,
  resources.cronJobs,
];

function newQuota(random: Random): ApiObject {
  const hard = { pods: String(randomBelow(random, 8)), "count/jobs.batch": String(randomBelow(random, 4)) };
  return { metadata: { name: "quota" }, spec: { hard } } as ApiObject;
}

function newClaim(): PersistentVolumeClaim {
  const storage = { requests: { storage: "1Gi" } };
  return { metadata: {}, spec: { accessModes: ["ReadWriteOnce"], resources: storage } };
}
