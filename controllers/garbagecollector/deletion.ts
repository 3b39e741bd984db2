import type { PropagationPolicy } from "../../pkg/api/propagation-policy.ts";
import type { PartialObject, OwnerReference } from "../../pkg/api/object.ts";
import type { GraphNode } from "./graph.ts";
import { FOREGROUND, hasFinalizer, isBeingDeleted, ORPHAN } from "./graph-change.ts";

/** An owner as the server knows it; undefined: it does not exist. */
export interface CheckedOwner {
  readonly reference: OwnerReference;
  readonly owner: PartialObject | undefined;
}

export type DeletionPlan =
  | { readonly action: "keep" }
  /** Some owners are left: the others are struck off. */
  | { readonly action: "disown"; readonly uids: readonly string[] }
  /** Its owners must not wait for it, or they and it would wait for each other. It goes when that is done. */
  | { readonly action: "unblock" }
  | { readonly action: "delete"; readonly policy: PropagationPolicy };

/**
 * What becomes of an object with these owners. It goes only when none of them is left but those that wait for it to go.
 * upstream: pkg/controller/garbagecollector/garbagecollector.go#attemptToDeleteItem
 */
export function decideDeletion(
  object: PartialObject,
  owners: readonly CheckedOwner[],
  dependents: ReadonlySet<Pick<GraphNode, "deletingDependents">>,
): DeletionPlan {
  if (owners.length === 0) return { action: "keep" };
  const gone = owners.filter(({ owner }) => owner === undefined);
  const waiting = owners.filter(({ owner }) => owner !== undefined && waitsForDependents(owner));
  if (gone.length + waiting.length < owners.length) {
    // Those that wait too: this object does not go, so that they would wait for ever.
    const uids = [...gone, ...waiting].map(({ reference }) => reference.uid);
    return uids.length === 0 ? { action: "keep" } : { action: "disown", uids };
  }
  if (waiting.length > 0 && dependents.size > 0) {
    const mayBeCycle = [...dependents].some(({ deletingDependents }) => deletingDependents);
    const blocks = owners.some(({ reference }) => reference.blockOwnerDeletion === true);
    if (mayBeCycle && blocks) return { action: "unblock" };
    return { action: "delete", policy: "Foreground" };
  }
  return { action: "delete", policy: policyOf(object) };
}

function waitsForDependents(owner: PartialObject): boolean {
  return isBeingDeleted(owner) && hasFinalizer(owner, FOREGROUND);
}

/** The policy that was already asked for, by a finalizer. */
function policyOf(object: PartialObject): PropagationPolicy {
  if (hasFinalizer(object, ORPHAN)) return "Orphan";
  return hasFinalizer(object, FOREGROUND) ? "Foreground" : "Background";
}
