import type { OwnerReference, PartialObject } from "../../pkg/api/object.ts";
import { forEachInSteps, type Steps } from "../../pkg/api/steps.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";

/** Kinds whose objects are controlled by nobody else in a cluster as it comes. */
const LAST_OWNERS: ReadonlySet<string> = new Set(["StatefulSet", "DaemonSet", "Job"]);

export interface Ownership {
  /** The uid of the target. */
  readonly target: string;
  /** The owner of the ReplicaSet that the reference names; undefined when that is not known. */
  readonly ownerOfReplicaSet: (reference: OwnerReference) => { readonly uid: string | undefined } | undefined;
}

/** Pods that are surely none of the target's. Of an owner that nobody here knows they may be. */
export function* foreignPods<T extends PartialObject>(
  pods: readonly T[],
  ownership: Ownership,
): Steps<readonly T[]> {
  const foreign: T[] = [];
  yield* forEachInSteps(pods, (pod) => {
    if (isForeign(pod, ownership)) foreign.push(pod);
  });
  return foreign;
}

function isForeign(pod: PartialObject, { target, ownerOfReplicaSet }: Ownership): boolean {
  const owner = controllerOf(pod);
  if (owner === undefined) return true;
  if (owner.uid === target) return false;
  if (LAST_OWNERS.has(owner.kind)) return true;
  if (owner.kind !== "ReplicaSet") return false;
  const next = ownerOfReplicaSet(owner);
  return next !== undefined && next.uid !== target;
}

const MOST_NAMES = 3;

/** For a condition: "; 5 pods that the target does not own are counted: a, b, c, …". Nothing where there are none. */
export function foreignPodsText(pods: readonly PartialObject[], areCounted: boolean): string {
  if (pods.length === 0) return "";
  const names = pods.slice(0, MOST_NAMES).map(({ metadata }) => metadata.name);
  const more = pods.length > MOST_NAMES ? ", …" : "";
  const what = pods.length === 1 ? "1 pod" : `${pods.length} pods`;
  const verb = pods.length === 1 ? "is" : "are";
  return `; ${what} that the target does not own ${verb} ${areCounted ? "" : "not "}counted: ${names.join(", ")}${more}`;
}
