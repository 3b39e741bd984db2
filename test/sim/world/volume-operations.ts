import type { ApiObject } from "../../../pkg/api/object.ts";
import { isPodActive } from "../../../pkg/api/pod.ts";
import { podClaims } from "../../../pkg/api/pod-claims.ts";
import { bucketName } from "../../../pkg/apiserver/server/served-resource.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  Pod,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { StorageClass } from "../../../pkg/api/types/storage-v1.gen.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { NODE_FAILURE_ANNOTATION } from "../../../pkg/cluster/hollow/node-failure.ts";
import { create, type Operation, patch, pick, storeOf, tolerantly } from "./hands.ts";
import { objectsIn, podsIn } from "./objects.ts";
import { backup, newClaim, newClass, newPodWithClaims, newVolume } from "./volume-samples.ts";
import { NAMESPACE, type World } from "./world.ts";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
const PATIENCE_MS = 120_000;
/** Between a volume and its claim. */
const RESTORED_MS = 6_000;
const GROWN = ["6Gi", "8Gi"];

/** What users do with volumes, and with the nodes that have them. */
export const volumeOperations: Readonly<Record<string, Operation>> = {
  "create a class": async (world, random) => create(world, resources.storageClasses, newClass(random)),
  "delete a class": async (world, random) => {
    // The default one is not the users'.
    const classes = objectsIn<StorageClass>(storeOf(world), resources.storageClasses);
    const own = classes.filter(({ metadata }) => metadata.name !== "standard");
    return erase(world, resources.storageClasses, pick(random, own));
  },
  "create a claim": async (world, random) =>
    create(world, resources.persistentVolumeClaims, newClaim(random)),
  "delete a claim of volumes": async (world, random) =>
    erase(world, resources.persistentVolumeClaims, pick(random, claimsIn(world))),
  "make a claim anew": async (world, random) => {
    const old = pick(random, claimsIn(world));
    return anew(world, resources.persistentVolumeClaims, old, newClaim(random, old?.metadata.name));
  },
  "create a volume": async (world, random) => create(world, resources.persistentVolumes, newVolume(random)),
  "delete a volume": async (world, random) =>
    erase(world, resources.persistentVolumes, pick(random, broughtIn(world))),
  "make a volume anew": async (world, random) => {
    const old = pick(random, broughtIn(world));
    return anew(world, resources.persistentVolumes, old, newVolume(random, old?.metadata.name));
  },
  "free a released volume": async (world, random) => {
    // One that is going already would be left with the finalizer of its controller, as in the Go program.
    const released = volumesIn(world).filter(
      ({ metadata, status }) => status?.phase === "Released" && metadata.deletionTimestamp === undefined,
    );
    return patchOf(world, pick(random, released), { spec: { claimRef: null } });
  },
  "change what becomes of a volume": async (world, random) => {
    const persistentVolumeReclaimPolicy = random.next() < 0.5 ? "Retain" : "Delete";
    return patchOf(world, pick(random, volumesIn(world)), { spec: { persistentVolumeReclaimPolicy } });
  },
  "grow a claim": async (world, random) => {
    const claim = pick(random, claimsIn(world));
    const requests = { storage: pick(random, GROWN) ?? "6Gi" };
    return (
      claim && patch(world, resources.persistentVolumeClaims, claim, { spec: { resources: { requests } } })
    );
  },
  "create a pod with volumes": async (world, random) => {
    const all = claimsIn(world).map(({ metadata }) => metadata.name ?? "");
    const chosen = all.filter(() => random.next() < 1.5 / Math.max(1, all.length));
    const names = chosen.length === 0 ? [`claim-${randomBelow(random, 6)}`] : chosen.slice(0, 3);
    return create(world, resources.pods, newPodWithClaims(random, names));
  },
  "delete a pod with volumes": async (world, random) => {
    const options = random.next() < 0.3 ? { gracePeriodSeconds: 0 } : {};
    const pod = pick(random, usersIn(world));
    const client = world.user.clientFor(resources.pods);
    return pod && tolerantly(pod, async (ref) => void (await client.delete(ref, options)));
  },
  "force pods off a node that is down": async (world, random) => {
    const isDown = ({ metadata }: Node): boolean =>
      metadata.annotations?.[NODE_FAILURE_ANNOTATION] === "silent";
    const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes).filter(isDown));
    const client = world.user.clientFor(resources.pods);
    const users = usersIn(world).filter(({ spec }) => spec?.nodeName === node?.metadata.name);
    const erased = users.map(async (pod) =>
      tolerantly(pod, async (ref) => void (await client.delete(ref, { gracePeriodSeconds: 0 }))),
    );
    return node && `${node.metadata.name}: ${(await Promise.all(erased)).join()}`;
  },
  "end a pod with volumes": async (world, random) => {
    const pod = pick(random, usersIn(world).filter(isPodActive));
    const client = world.user.clientFor(resources.pods);
    const write = { type: "merge", body: { status: { phase: "Succeeded" } } } as const;
    return pod && tolerantly(pod, async (ref) => void (await client.patchSubresource(ref, "status", write)));
  },
  "take a node out of service": takeOutOfService,
  "restore a claim with its volume": restore,
  "keep a volume for a very claim": keepForVeryClaim,
};

const frequent = [
  "create a claim",
  "create a volume",
  "create a pod with volumes",
  "delete a pod with volumes",
  "delete a claim of volumes",
];

/** What the users of such clusters are busy with. */
export const volumeWishes: readonly string[] = [
  ...Object.keys(volumeOperations),
  ...Object.keys(volumeOperations),
  ...Array.from({ length: 8 }, () => frequent).flat(),
  ...Array.from({ length: 4 }, () => "restore a claim with its volume"),
  "create stateful set",
  "scale stateful set",
  "delete a stateful pod",
  "change retention of claims",
  "delete stateful set",
  "a node is away for a while",
  "a node falls silent",
  "a node comes back",
  "make a node anew",
  "delete a node",
  "cordon",
  "uncordon",
  "drain",
];

const volumesIn = (world: World): readonly PersistentVolume[] =>
  objectsIn<PersistentVolume>(storeOf(world), resources.persistentVolumes);
/** Those that nobody has provisioned. */
const broughtIn = (world: World): readonly PersistentVolume[] =>
  volumesIn(world).filter(({ metadata }) => metadata.name?.startsWith("disk-") === true);
/** Those that no StatefulSet has. */
const claimsIn = (world: World): readonly PersistentVolumeClaim[] =>
  objectsIn<PersistentVolumeClaim>(storeOf(world), resources.persistentVolumeClaims).filter(
    ({ metadata }) => metadata.name?.startsWith("claim-") === true,
  );
const usersIn = (world: World): readonly Pod[] =>
  podsIn(storeOf(world)).filter((pod) => podClaims(pod).length > 0);

async function patchOf(
  world: World,
  volume: PersistentVolume | undefined,
  body: unknown,
): Promise<string | undefined> {
  return (
    volume && `${await patch(world, resources.persistentVolumes, volume, body)} to ${JSON.stringify(body)}`
  );
}

async function erase<T extends ApiObject>(
  world: World,
  resource: TypedResource<T>,
  object: T | undefined,
): Promise<string | undefined> {
  const client = world.user.clientFor(resource);
  return object && tolerantly(object, async (ref) => void (await client.delete(ref)));
}

/** Another of the name, in the moment in which that is free. */
async function anew<T extends ApiObject>(
  world: World,
  resource: TypedResource<T>,
  old: T | undefined,
  next: T,
): Promise<string | undefined> {
  if (old === undefined) return undefined;
  const stop = storeOf(world).subscribe(bucketName(resource.group, resource.plural), ({ type, object }) => {
    if (type !== "DELETED" || object.metadata.uid !== old.metadata.uid) return;
    stop();
    if (!world.usersAreDone) void create(world, resource, next);
  });
  world.clock.setTimer(PATIENCE_MS, stop);
  return erase(world, resource, old);
}

/** As its documentation says: a node that is down for sure, and comes back after its pods have gone. */
async function takeOutOfService(world: World, random: Random): Promise<string | undefined> {
  const node = pick(random, objectsIn<Node>(storeOf(world), resources.nodes));
  if (node === undefined) return undefined;
  const annotations = { [NODE_FAILURE_ANNOTATION]: "silent" };
  const text = await patch(world, resources.nodes, node, { metadata: { annotations } });
  const taintAfterMs = 20_000 + randomBelow(random, 90_000);
  world.clock.setTimer(taintAfterMs, () => {
    if (!world.usersAreDone) void setOutOfService(world, node, true);
  });
  world.clock.setTimer(taintAfterMs + 60_000 + randomBelow(random, 200_000), () => {
    if (world.usersAreDone) return;
    void setOutOfService(world, node, false);
    void patch(world, resources.nodes, node, {
      metadata: { annotations: { [NODE_FAILURE_ANNOTATION]: null } },
    });
  });
  return `${text} after ${taintAfterMs} ms`;
}

async function setOutOfService(
  world: World,
  { metadata: { name, uid } }: Node,
  isOut: boolean,
): Promise<void> {
  const nodes = objectsIn<Node>(storeOf(world), resources.nodes);
  const node = nodes.find(({ metadata }) => metadata.name === name && metadata.uid === uid);
  if (node === undefined) return;
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== OUT_OF_SERVICE);
  const taint = { key: OUT_OF_SERVICE, value: "nodeshutdown", effect: "NoExecute" };
  const taints = isOut ? [...others, taint] : others;
  const { resourceVersion } = node.metadata;
  const body = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
  const text = await patch(world, resources.nodes, node, body);
  world.trace?.add("user", `${isOut ? "takes out of" : "puts into"} service: ${text}`);
  // Somebody else has written the node meanwhile.
  if (text.includes("refused")) world.clock.setTimer(1_000, () => void setOutOfService(world, node, isOut));
}

/** From a backup: the claim says that it is bound, and comes when the volume is there. */
async function restore(world: World, random: Random): Promise<string> {
  const { volume, claim } = backup(random);
  const text = await create(world, resources.persistentVolumes, volume);
  const afterMs = randomBelow(random, RESTORED_MS);
  world.clock.setTimer(afterMs, () => {
    if (!world.usersAreDone) void create(world, resources.persistentVolumeClaims, claim);
  });
  return `${text}, ${claim.metadata.name} after ${afterMs} ms`;
}

/** A volume comes that names the claim by its uid, in the moment in which that is there. */
async function keepForVeryClaim(world: World, random: Random): Promise<string> {
  const claim = newClaim(random);
  const text = await create(world, resources.persistentVolumeClaims, claim);
  const { name = "" } = claim.metadata;
  // Another one is there, which the volume may not be for.
  if (text !== name) return text;
  const uid = claimsIn(world).find(({ metadata }) => metadata.name === name)?.metadata.uid;
  const volume = newVolume(random);
  const { accessModes, storageClassName = "" } = claim.spec ?? {};
  const spec: PersistentVolumeSpec = {
    ...volume.spec,
    ...(accessModes && { accessModes }),
    capacity: { storage: "10Gi" },
    storageClassName,
    claimRef: { namespace: NAMESPACE, name, ...(uid !== undefined && { uid }) },
  };
  return `${text}: ${await create(world, resources.persistentVolumes, { ...volume, spec })}`;
}

/** All nodes are in service again. */
export async function repairVolumes(world: World): Promise<void> {
  for (const node of objectsIn<Node>(storeOf(world), resources.nodes))
    if (node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE))
      await setOutOfService(world, node, false);
}
