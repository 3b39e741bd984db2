import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { placeOf } from "./identity.ts";
import { inOrdinalRange } from "./stateful-set.ts";

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

function wantedOwners(set: StatefulSet, pod: Pod): WantedOwners {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const scaledAway = whenScaled === "Delete" && !inOrdinalRange(set, placeOf(pod));
  return { set: whenDeleted === "Delete" && !scaledAway, pod: scaledAway };
}

function keepsAlways(set: StatefulSet): boolean {
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return whenScaled !== "Delete" && whenDeleted !== "Delete";
}

/**
 * Whether the claim's owners are as the policy asks. Claims of earlier objects of the same name count as up to date:
 * the garbage collector deletes them. So do claims that somebody else controls and that name neither the StatefulSet
 * nor the pod.
 */
export function isOwnershipUpToDate(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (namesAnother(claim, set, resources.statefulSets) || namesAnother(claim, pod, resources.pods)) {
    return true;
  }
  const has: WantedOwners = { set: isOwnedBy(claim, set), pod: isOwnedBy(claim, pod) };
  if (hasUnexpectedController(claim, set, pod)) return !has.set && !has.pod;
  if (ownsWithoutControl(claim, set) || ownsWithoutControl(claim, pod)) return false;
  const wanted = wantedOwners(set, pod);
  return has.set === wanted.set && has.pod === wanted.pod;
}

/**
 * The owners that the claim should have. Other owners stay; beside another controller neither the set nor the pod is
 * one.
 */
export function ownersOf(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): readonly OwnerReference[] {
  const others = ownersIn(claim).filter(
    (owner) => !names(owner, set, resources.statefulSets) && !names(owner, pod, resources.pods),
  );
  if (hasUnexpectedController(claim, set, pod)) return others;
  const wanted = wantedOwners(set, pod);
  return [
    ...others,
    ...(wanted.set ? [newControllerRef(set, resources.statefulSets)] : []),
    ...(wanted.pod ? [newControllerRef(pod, resources.pods)] : []),
  ];
}

/** Whether a claim that the policy may delete is controlled by something other than the StatefulSet or the pod. */
export function hasUnexpectedController(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  // Claims that are always kept may be controlled by anybody.
  if (keepsAlways(set)) return false;
  return ownersIn(claim).some((owner) => {
    if (names(owner, set, resources.statefulSets)) return owner.uid !== set.metadata.uid;
    if (names(owner, pod, resources.pods)) return owner.uid !== pod.metadata.uid;
    return owner.controller === true;
  });
}

/** Whether the claim is to be deleted with an earlier pod of this name. */
export function isClaimStale(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return whenScaled === "Delete" && namesAnother(claim, pod, resources.pods);
}

/** Whether the claim names an earlier object of this name as owner. A pod that is yet to be created has no uid. */
function namesAnother(claim: PersistentVolumeClaim, object: ApiObject, resource: Resource): boolean {
  const named = ownersIn(claim).find((owner) => names(owner, object, resource));
  return named !== undefined && named.uid !== (object.metadata.uid ?? "");
}

function isOwnedBy(claim: PersistentVolumeClaim, owner: ApiObject): boolean {
  return ownersIn(claim).some(({ uid }) => uid === owner.metadata.uid);
}

function ownsWithoutControl(claim: PersistentVolumeClaim, owner: ApiObject): boolean {
  return ownersIn(claim).some(({ uid, controller }) => uid === owner.metadata.uid && controller !== true);
}

function names(reference: OwnerReference, object: ApiObject, resource: Resource): boolean {
  return (
    reference.apiVersion === apiVersionOf(resource) &&
    reference.kind === resource.kind &&
    reference.name === object.metadata.name
  );
}

function ownersIn(claim: PersistentVolumeClaim): readonly OwnerReference[] {
  return claim.metadata.ownerReferences ?? [];
}
