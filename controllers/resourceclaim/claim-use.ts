import {
  claimNameOf,
  claimNamesOf,
  isClaimForPod,
  isClaimOfGroup,
  isReservedForPod,
} from "../../pkg/api/device-claims.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import type { ResourceClaim } from "../../pkg/api/types/resource-v1.gen.ts";
import type { CachedGroup, CachedPod } from "./fields.ts";

/** None of its containers runs, and none ever will. */
export function isDone(pod: CachedPod): boolean {
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !isOnNode(pod));
}

/** Those of a pod that is done are taken from it: to make or reserve them again would go on for ever. */
export function mayNeedClaims(pod: CachedPod): boolean {
  return pod.metadata.deletionTimestamp === undefined && !isPodTerminal(pod);
}

export function isOnNode({ spec }: CachedPod): boolean {
  return (spec?.nodeName ?? "") !== "";
}

/** The names of the claims of a pod, also of that which the scheduler has made for its extended resources. */
export function allClaimNames(pod: CachedPod): readonly string[] {
  const { resourceClaimName } = pod.status?.extendedResourceClaimStatus ?? {};
  return resourceClaimName === undefined ? claimNamesOf(pod) : [...claimNamesOf(pod), resourceClaimName];
}

/** What is known of a pod's surroundings. */
export interface PodView {
  readonly claim: (name: string) => ResourceClaim | undefined;
  /** "missing": the pod is in one that is not known yet; undefined: it is in none, as far as that counts. */
  readonly group: CachedGroup | "missing" | undefined;
  readonly withGroups: boolean;
}

/** Why a pod is to be looked at; undefined: there is nothing to do for it. */
export function podWork(pod: CachedPod, view: PodView): string | undefined {
  if (!mayNeedClaims(pod)) return undefined;
  for (const wanted of pod.spec?.resourceClaims ?? []) {
    const named = claimNameOf(pod, wanted);
    if (named.kind === "not-needed") continue;
    if (named.kind !== "named") return `Claim ${wanted.name} has no name yet`;
    const claim = view.claim(named.name);
    if (claim === undefined) {
      if (wanted.resourceClaimTemplateName === undefined) continue;
      if (view.group === "missing") return "Its group is not known yet";
      if (view.group !== undefined && isClaimOfGroup(wanted, view.group)) continue;
      return "A claim is to be made of a template";
    }
    // Nothing can be done until the claim of somebody else is gone.
    if (named.isMade && !isClaimForPod(pod, claim, view.withGroups)) continue;
    if (isOnNode(pod) && lacksReservation(pod, claim, view.withGroups)) return "A claim is to be reserved";
  }
  return undefined;
}

/** The scheduler reserves claims before it gives pods their nodes; who does without it has that done here. */
export function lacksReservation(pod: CachedPod, claim: ResourceClaim, withGroups: boolean): boolean {
  return claim.status?.allocation !== undefined && !isReservedForPod(pod, claim, withGroups);
}

/** The same for a group. */
export function groupWork(group: CachedGroup, claim: PodView["claim"]): string | undefined {
  if (group.metadata.deletionTimestamp !== undefined) return undefined;
  for (const wanted of group.spec?.resourceClaims ?? []) {
    const named = claimNameOf(group, wanted);
    if (named.kind === "not-needed") continue;
    if (named.kind !== "named") return `Claim ${wanted.name} has no name yet`;
    if (wanted.resourceClaimTemplateName !== undefined && claim(named.name) === undefined)
      return "A claim is to be made of a template";
  }
  return undefined;
}

/** The claim was made for this very group. */
export function isClaimForGroup(group: CachedGroup, claim: PartialObject): boolean {
  const { namespace, uid } = group.metadata;
  return claim.metadata.namespace === namespace && uid !== undefined && controllerOf(claim)?.uid === uid;
}
