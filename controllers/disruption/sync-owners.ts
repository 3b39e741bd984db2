import type { OwnerReference, Stored } from "../../pkg/api/object.ts";
import { controllerOf, parseApiVersion } from "../../pkg/api/owner-references.ts";
import { referencedOwner } from "../../pkg/controller/owner-lookup.ts";
import type { DisruptionContext } from "./context.ts";
import { ScaleError, type Scales } from "./sync-scale.ts";
import type { CachedPod } from "./fields.ts";

/** The largest number that the fields of a status can hold. */
const LARGEST = 2 ** 31 - 1;

/** The owners of pods that are looked up in caches. */
export type OwnerListers = DisruptionContext["owners"];

interface OwnerSources {
  readonly owners: OwnerListers;
  /** For owners of kinds that are not cached. */
  readonly scales: Pick<Scales, "scaleOf">;
}

/** An owner of pods, and how many pods it wants. */
export interface ScaledOwner {
  readonly uid: string;
  readonly replicas: number;
}

export interface TotalScale {
  readonly replicas: number;
  /** Pods that nobody controls: nobody says how many of them there should be. */
  readonly unmanaged: readonly Stored<CachedPod>[];
}

/**
 * How many pods the owners of these pods want in total. Each owner counts once, and a Deployment stands for its
 * ReplicaSets. Throws when an owner cannot be found.
 */
export async function totalScale(
  context: OwnerSources,
  pods: readonly Stored<CachedPod>[],
  signal: AbortSignal,
): Promise<TotalScale> {
  const scales = new Map<string, number>();
  const asked = new Set<string>();
  const unmanaged: Stored<CachedPod>[] = [];
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (reference === undefined) unmanaged.push(pod);
    if (reference === undefined || asked.has(reference.uid)) continue;
    asked.add(reference.uid);
    const { namespace, name } = pod.metadata;
    const owner =
      cachedOwner(context.owners, reference, namespace) ??
      (await servedOwner(context, reference, namespace, signal));
    if (owner === undefined) throw new ScaleError(`found no controllers for pod ${JSON.stringify(name)}`);
    scales.set(owner.uid, owner.replicas);
  }
  const replicas = [...scales.values()].reduce((sum, each) => sum + each, 0);
  return { replicas: Math.min(replicas, LARGEST), unmanaged };
}

/**
 * The owner that decides about the number of pods, if its kind is cached: for a Deployment's ReplicaSet the Deployment.
 */
export function cachedOwner(
  owners: OwnerListers,
  reference: OwnerReference,
  namespace: string,
): ScaledOwner | undefined {
  const { group } = parseApiVersion(reference.apiVersion);
  const isWorkload = group === "apps" || group === "extensions";
  switch (reference.kind) {
    case "ReplicationController":
      return group === "" ? scaled(owners.replicationControllers, reference, namespace) : undefined;
    case "StatefulSet":
      return group === "apps" ? scaled(owners.statefulSets, reference, namespace) : undefined;
    case "ReplicaSet":
      return isWorkload ? ownerOfReplicaSet(owners, reference, namespace) : undefined;
    default:
      return undefined;
  }
}

function ownerOfReplicaSet(
  owners: OwnerListers,
  reference: OwnerReference,
  namespace: string,
): ScaledOwner | undefined {
  const replicaSet = referencedOwner(owners.replicaSets, reference.kind, namespace, reference);
  if (replicaSet === undefined) return undefined;
  const manager = controllerOf(replicaSet);
  if (manager?.kind !== "Deployment") return { uid: reference.uid, replicas: replicaSet.spec?.replicas ?? 1 };
  const { group } = parseApiVersion(manager.apiVersion);
  return group === "apps" || group === "extensions"
    ? scaled(owners.deployments, manager, namespace)
    : undefined;
}

function scaled<
  T extends { readonly spec?: { readonly replicas?: number } } & Parameters<typeof controllerOf>[0],
>(
  lister: Parameters<typeof referencedOwner<T>>[0],
  reference: OwnerReference,
  namespace: string,
): ScaledOwner | undefined {
  const owner = referencedOwner(lister, reference.kind, namespace, reference);
  return owner && { uid: reference.uid, replicas: owner.spec?.replicas ?? 1 };
}

async function servedOwner(
  { scales }: OwnerSources,
  reference: OwnerReference,
  namespace: string,
  signal: AbortSignal,
): Promise<ScaledOwner | undefined> {
  const replicas = await scales.scaleOf(reference, namespace, signal);
  return replicas === undefined ? undefined : { uid: reference.uid, replicas };
}
