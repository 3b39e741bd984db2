import { isStored, type OwnerReference, type PartialObject, type Stored } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { placeOf } from "./identity.ts";
import { inOrdinalRange } from "./stateful-set.ts";
import type { CachedPod } from "./fields.ts";

/**
 * Owners of claims by retention policy. The garbage collector does the rest: a claim goes with its last owner.
 *
 *   kept when scaled, kept when deleted    no owner
 *   kept when scaled, deleted with the set the StatefulSet
 *   deleted when scaled, kept otherwise    the pod, once it is scaled away
 *   deleted in both cases                  the StatefulSet; once the pod is scaled away, the pod
 */
interface WantedOwners {
  readonly set: boolean;
  readonly pod: boolean;
}

function wantedOwners(set: Stored<StatefulSet>, pod: CachedPod): WantedOwners {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const scaledAway = whenScaled === "Delete" && !inOrdinalRange(set, placeOf(pod));
  return { set: whenDeleted === "Delete" && !scaledAway, pod: scaledAway };
}

function keepsAlways(set: Stored<StatefulSet>): boolean {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return whenScaled !== "Delete" && whenDeleted !== "Delete";
}

/**
 * Whether the claim's owners are as the policy asks. Claims of earlier objects of the same name count as up to date:
 * the garbage collector deletes them. So do claims that somebody else controls and that name neither the StatefulSet
 * nor the pod.
 */
export function isOwnershipUpToDate(claim: PartialObject, set: Stored<StatefulSet>, pod: CachedPod): boolean {
  const wanted = wantedOwners(set, pod);
  // As a rule a claim has no owner, and each sync asks for each claim.
  if (ownersIn(claim).length === 0) return !wanted.set && !wanted.pod;
  if (namesAnother(claim, set, resources.statefulSets) || namesAnother(claim, pod, resources.pods)) {
    return true;
  }
  const has: WantedOwners = { set: isOwnedBy(claim, set), pod: isOwnedBy(claim, pod) };
  if (hasUnexpectedController(claim, set, pod)) return !has.set && !has.pod;
  if (ownsWithoutControl(claim, set) || ownsWithoutControl(claim, pod)) return false;
  return has.set === wanted.set && has.pod === wanted.pod;
}

/**
 * The owners that the claim should have. Other owners stay; beside another controller neither the set nor the pod is
 * one.
 */
export function ownersOf(
  claim: PartialObject,
  set: Stored<StatefulSet>,
  pod: CachedPod,
): readonly OwnerReference[] {
  const others = ownersIn(claim).filter(
    (owner) => !names(owner, set, resources.statefulSets) && !names(owner, pod, resources.pods),
  );
  if (hasUnexpectedController(claim, set, pod)) return others;
  const wanted = wantedOwners(set, pod);
  return [
    ...others,
    ...(wanted.set ? [newControllerRef(set, resources.statefulSets)] : []),
    ...(wanted.pod && isStored(pod) ? [newControllerRef(pod, resources.pods)] : []),
  ];
}

/** Whether a claim that the policy may delete is controlled by something other than the StatefulSet or the pod. */
export function hasUnexpectedController(
  claim: PartialObject,
  set: Stored<StatefulSet>,
  pod: CachedPod,
): boolean {
  // Claims that are always kept may be controlled by anybody.
  if (keepsAlways(set)) return false;
  return ownersIn(claim).some((owner) => {
    if (names(owner, set, resources.statefulSets)) return owner.uid !== set.metadata.uid;
    if (names(owner, pod, resources.pods)) return owner.uid !== pod.metadata.uid;
    return owner.controller === true;
  });
}

/** Whether the claim is to be deleted with an earlier pod of this name. */
export function isClaimStale(claim: PartialObject, set: Stored<StatefulSet>, pod: CachedPod): boolean {
  const { whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return whenScaled === "Delete" && namesAnother(claim, pod, resources.pods);
}

/** Whether the claim names an earlier object of this name as owner. A pod that is yet to be created has no uid. */
function namesAnother(claim: PartialObject, object: PartialObject, resource: Resource): boolean {
  const named = ownersIn(claim).find((owner) => names(owner, object, resource));
  return named !== undefined && named.uid !== object.metadata.uid;
}

function isOwnedBy(claim: PartialObject, owner: PartialObject): boolean {
  return ownersIn(claim).some(({ uid }) => uid === owner.metadata.uid);
}

function ownsWithoutControl(claim: PartialObject, owner: PartialObject): boolean {
  return ownersIn(claim).some(({ uid, controller }) => uid === owner.metadata.uid && controller !== true);
}

function names(reference: OwnerReference, object: PartialObject, resource: Resource): boolean {
  return (
    reference.apiVersion === apiVersionOf(resource) &&
    reference.kind === resource.kind &&
    reference.name === object.metadata.name
  );
}

function ownersIn(claim: PartialObject): readonly OwnerReference[] {
  return claim.metadata.ownerReferences ?? [];
}
