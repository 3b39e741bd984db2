import { isPodActive } from "../../../pkg/api/pod.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { type Random, randomBelow } from "../../../pkg/clock/random.ts";
import { create, type Operation, patch, patchPodStatus, pick, remove, storeOf, tolerantly } from "./hands.ts";
import { objectsIn, ownedBy, podsIn } from "./objects.ts";
import { BAD_IMAGE, hasBadImage, pickImage, pickScript } from "./samples.ts";
import { MOST_STATEFUL_PODS, newRetention, newStatefulSet, newStrategy } from "./stateful-samples.ts";
import type { World } from "./world.ts";

/** How long after the first repair bad pods may still come, which were under way by then. */
const STRAGGLERS_MS = 120_000;

/** What users do with StatefulSets. */
export const statefulOperations: Readonly<Record<string, Operation>> = {
  "create stateful set": async (world, random) =>
    create(world, resources.statefulSets, newStatefulSet(random)),
  "create stateful set in namespace": async (world, random) => {
    const set = newStatefulSet(random);
    return create(world, resources.statefulSets, {
      ...set,
      metadata: { ...set.metadata, namespace: "team" },
    });
  },
  "delete stateful set": async (world, random) =>
    remove(world, resources.statefulSets, pick(random, setsIn(world)), random),
  "scale stateful set": async (world, random) =>
    patchSet(world, random, { replicas: randomBelow(random, MOST_STATEFUL_PODS + 1) }),
  "set image of stateful set": async (world, random) => setTemplate(world, random, pickImage(random)),
  "set a bad image of stateful set": async (world, random) => setTemplate(world, random, BAD_IMAGE),
  "change strategy of stateful set": async (world, random) => {
    const { type, rollingUpdate } = newStrategy(random);
    return patchSet(world, random, { updateStrategy: { type, rollingUpdate: rollingUpdate ?? null } });
  },
  "change retention of claims": async (world, random) =>
    patchSet(world, random, { persistentVolumeClaimRetentionPolicy: newRetention(random) }),
  "delete a stateful pod": async (world, random) => {
    const options = random.next() < 0.4 ? { gracePeriodSeconds: 0 } : {};
    const pod = pick(random, statefulPods(world));
    return (
      pod &&
      tolerantly(pod, async (ref) => {
        await world.user.clientFor(resources.pods).delete(ref, options);
      })
    );
  },
  "fail a stateful pod": async (world, random) => {
    const pod = pick(random, statefulPods(world).filter(isPodActive));
    const body = { status: { phase: random.next() < 0.7 ? "Failed" : "Succeeded", reason: "Evicted" } };
    return pod && patchPodStatus(world, pod, body);
  },
  "take a stateful pod from its set": async (world, random) => {
    const pod = pick(random, statefulPods(world).filter(isPodActive));
    return pod && patch(world, resources.pods, pod, { metadata: { ownerReferences: null } });
  },
  "delete a claim": async (world, random) =>
    remove(world, resources.persistentVolumeClaims, pick(random, claimsIn(world)), random),
};

const setsIn = (world: World): readonly StatefulSet[] =>
  objectsIn<StatefulSet>(storeOf(world), resources.statefulSets);
const claimsIn = (world: World): readonly PersistentVolumeClaim[] =>
  objectsIn<PersistentVolumeClaim>(storeOf(world), resources.persistentVolumeClaims);

const statefulPods = (world: World): readonly Pod[] =>
  podsIn(storeOf(world)).filter((pod) => controllerOf(pod)?.kind === "StatefulSet");

/**
 * As the documentation asks of users: after a rollout that cannot come up they go back, and delete the pods that were
 * made of it. They give back names that others have taken, too.
 */
export async function repairStatefulSets(world: World): Promise<void> {
  for (const set of setsIn(world)) {
    if (!mayMakeBadPods(world, set)) continue;
    const containers = [{ name: "main", image: "app:1" }];
    const spec = {
      template: { spec: { containers } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    };
    await patch(world, resources.statefulSets, set, { spec });
  }
  for (const afterMs of [0, STRAGGLERS_MS]) {
    await sleep(world.clock, afterMs, new AbortController().signal);
    for (const pod of podsIn(storeOf(world))) if (isInTheWay(world, pod)) await deletePod(world, pod);
  }
}

/** It asks for pods that cannot run, or may go back to a revision of such. */
function mayMakeBadPods(world: World, set: StatefulSet): boolean {
  const revisions = objectsIn<ControllerRevision>(storeOf(world), resources.controllerRevisions);
  const isBad = ({ data }: ControllerRevision): boolean => JSON.stringify(data).includes(BAD_IMAGE);
  return hasBadImage(set.spec?.template?.spec) || ownedBy(revisions, set).some(isBad);
}

function isInTheWay(world: World, pod: Pod): boolean {
  const owner = controllerOf(pod);
  if (owner?.kind === "StatefulSet") return hasBadImage(pod.spec);
  return setsIn(world).some(
    ({ metadata }) =>
      metadata.namespace === pod.metadata.namespace &&
      pod.metadata.name?.startsWith(`${metadata.name}-`) === true &&
      owner?.uid !== metadata.uid,
  );
}

async function deletePod(world: World, pod: Pod): Promise<void> {
  await tolerantly(pod, async (ref) => void (await world.user.clientFor(resources.pods).delete(ref)));
}

async function setTemplate(world: World, random: Random, image: string): Promise<string | undefined> {
  const containers = [{ name: "main", image }];
  const annotations = pickScript(random);
  return patchSet(world, random, { template: { metadata: { annotations }, spec: { containers } } });
}

async function patchSet(
  world: World,
  random: Random,
  spec: Partial<Record<keyof NonNullable<StatefulSet["spec"]>, unknown>>,
): Promise<string | undefined> {
  const set = pick(random, setsIn(world));
  return set && `${await patch(world, resources.statefulSets, set, { spec })} to ${JSON.stringify(spec)}`;
}
