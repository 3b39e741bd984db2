import { apiVersionOf } from "../../../pkg/api/resource.ts";
import type { ApiObject, OwnerReference } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { randomUuid, type Random } from "../../../pkg/clock/random.ts";
import { type Operation, patch, pick, storeOf } from "./hands.ts";
import { objectsIn } from "./objects.ts";
import type { World } from "./world.ts";

const KINDS: readonly TypedResource<ApiObject>[] = [
  resources.pods,
  resources.replicaSets,
  resources.deployments,
  resources.jobs,
];

/** What users do to the order of ownership, which nobody checks when they do it. */
export const ownerOperations: Readonly<Record<string, Operation>> = {
  "give another owner": async (world, random) => {
    const target = pickAny(world, random);
    const owner = target && pickAny(world, random, target.object.metadata.namespace);
    // It would outlive its DaemonSet: see "Not as orphans" in daemon-operations.ts.
    if (target !== undefined && controllerOf(target.object)?.kind === "DaemonSet") return undefined;
    return owner && own(world, random, target, referenceTo(owner));
  },
  "give an owner that is not there": async (world, random) => {
    const target = pickAny(world, random);
    const uid = randomUuid(random);
    // There may be another of that name.
    const namesake = pickAny(world, random, target?.object.metadata.namespace);
    return target && namesake && own(world, random, target, { ...referenceTo(namesake), uid });
  },
};

interface Picked {
  readonly resource: TypedResource<ApiObject>;
  readonly object: ApiObject;
}

function pickAny(world: World, random: Random, namespace?: string): Picked | undefined {
  const all = KINDS.flatMap((resource) =>
    objectsIn(storeOf(world), resource).map((object) => ({ resource, object })),
  );
  return pick(
    random,
    all.filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace),
  );
}

function referenceTo({ resource, object }: Picked): OwnerReference {
  const { name = "", uid = "" } = object.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
}

async function own(
  world: World,
  random: Random,
  { resource, object }: Picked,
  reference: OwnerReference,
): Promise<string> {
  const { ownerReferences = [], resourceVersion } = object.metadata;
  if (reference.uid === object.metadata.uid || ownerReferences.some(({ uid }) => uid === reference.uid))
    return `${object.metadata.name} is that already`;
  const next = [...ownerReferences, { ...reference, blockOwnerDeletion: random.next() < 0.5 }];
  const body = { metadata: { ownerReferences: next, resourceVersion } };
  return `${await patch(world, resource, object, body)} is ${reference.name}'s too`;
}
