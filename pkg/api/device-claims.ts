import { type PartialObject, refKey, type StoredObject } from "./object.ts";
import { controllerOf } from "./owner-references.ts";
import type { PartOf } from "./projected.ts";
import type { Pod, PodResourceClaim, PodResourceClaimStatus } from "./types/core-v1.gen.ts";
import type { ResourceClaim, ResourceClaimConsumerReference } from "./types/resource-v1.gen.ts";

/** Keeps a claim that is allocated. */
export const CLAIM_FINALIZER = "resource.kubernetes.io/delete-protection";
/** On claims that are made of templates: which of its owner's claims it is. */
export const CLAIM_NAME_ANNOTATION = "resource.kubernetes.io/pod-claim-name";
/** "true" on claims that the scheduler makes for extended resources. */
export const EXTENDED_RESOURCE_ANNOTATION = "resource.kubernetes.io/extended-resource-claim";

const SCHEDULING_GROUP = "scheduling.k8s.io";

/** A pod, or a group of pods, with claims that its status tells the names of. */
export interface ClaimUser extends PartialObject {
  readonly spec?: { readonly resourceClaims?: readonly PodResourceClaim[] };
  readonly status?: { readonly resourceClaimStatuses?: readonly PodResourceClaimStatus[] };
}

/** What is read of pods to know their claims, and whose these are. */
export const DEVICE_CLAIM_FIELDS = [
  "spec.resourceClaims",
  "spec.schedulingGroup.podGroupName",
  "status.resourceClaimStatuses",
  "status.extendedResourceClaimStatus.resourceClaimName",
] as const;

export type PodWithDevices = PartialObject & PartOf<Pod, (typeof DEVICE_CLAIM_FIELDS)[number]>;

/** What there is to say of a claim of a pod or group. */
export type ClaimName =
  /** `isMade`: of a template, so that the claim of the name may be somebody else's. */
  | { readonly kind: "named"; readonly name: string; readonly isMade: boolean }
  | { readonly kind: "not-made-yet" | "not-needed" | "unsupported" };

export function claimNameOf({ status }: ClaimUser, claim: PodResourceClaim): ClaimName {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  if (resourceClaimName !== undefined) return { kind: "named", name: resourceClaimName, isMade: false };
  if (resourceClaimTemplateName === undefined) return { kind: "unsupported" };
  const told = status?.resourceClaimStatuses?.find((each) => each.name === name);
  if (told === undefined) return { kind: "not-made-yet" };
  return told.resourceClaimName === undefined
    ? { kind: "not-needed" }
    : { kind: "named", name: told.resourceClaimName, isMade: true };
}

/** The names of all claims that a pod or group uses by its spec. */
export function claimNamesOf(user: ClaimUser): readonly string[] {
  return (user.spec?.resourceClaims ?? []).flatMap((claim) => {
    const named = claimNameOf(user, claim);
    return named.kind === "named" ? [named.name] : [];
  });
}

/** The group that a pod is in. */
export function groupNameOf({ spec }: PodWithDevices): string | undefined {
  return spec?.schedulingGroup?.podGroupName;
}

/** For an index of pods by the groups that they are in. */
export const PODS_OF_GROUPS = "podGroup";

export function groupKeysOf(pod: PodWithDevices): readonly string[] {
  const name = groupNameOf(pod);
  return name === undefined ? [] : [refKey(pod.metadata.namespace, name)];
}

/** The claim was made for this very pod; where there are groups, or for that which it is in. */
export function isClaimForPod(pod: PodWithDevices, claim: PartialObject, withGroups: boolean): boolean {
  const controller = controllerOf(claim);
  if (controller === undefined || claim.metadata.namespace !== pod.metadata.namespace) return false;
  if (pod.metadata.uid !== undefined && controller.uid === pod.metadata.uid) return true;
  // A pod does not know the uid of its group.
  return withGroups && isGroup(controller) && controller.name === groupNameOf(pod);
}

/** By its kind, in whatever version. */
export function isGroup({
  apiVersion,
  kind,
}: {
  readonly apiVersion: string;
  readonly kind: string;
}): boolean {
  return kind === "PodGroup" && apiVersion.startsWith(`${SCHEDULING_GROUP}/`);
}

/** Whether the pod may use the claim; where there are groups, or that which it is in. */
export function isReservedForPod(
  pod: PodWithDevices,
  { status }: PartOf<ResourceClaim, "status.reservedFor">,
  withGroups: boolean,
): boolean {
  const group = withGroups ? groupNameOf(pod) : undefined;
  return (status?.reservedFor ?? []).some(
    (consumer) =>
      consumer.uid === pod.metadata.uid ||
      (group !== undefined && consumer.name === group && isGroupConsumer(consumer)),
  );
}

export function isPodConsumer({ apiGroup = "", resource }: ResourceClaimConsumerReference): boolean {
  return apiGroup === "" && resource === "pods";
}

export function isGroupConsumer({ apiGroup, resource }: ResourceClaimConsumerReference): boolean {
  return apiGroup === SCHEDULING_GROUP && resource === "podgroups";
}

/** How a claim names whom it is reserved for. */
export function consumerOf(
  { metadata: { name, uid } }: StoredObject,
  resource: "pods" | "podgroups",
): ResourceClaimConsumerReference {
  return { ...(resource === "podgroups" && { apiGroup: SCHEDULING_GROUP }), resource, name, uid };
}

/** Whether the pod has the claim from its group, which has one that is the same in all. */
export function isClaimOfGroup(claim: PodResourceClaim, { spec }: Pick<ClaimUser, "spec">): boolean {
  return (spec?.resourceClaims ?? []).some(
    (other) =>
      other.name === claim.name &&
      other.resourceClaimName === claim.resourceClaimName &&
      other.resourceClaimTemplateName === claim.resourceClaimTemplateName,
  );
}

/** Somebody has admin access to the devices of the claim. */
export function hasAdminAccess({ spec }: Pick<ResourceClaim, "spec">): boolean {
  return (spec.devices?.requests ?? []).some(({ exactly }) => exactly?.adminAccess === true);
}
