import type { PartialObject } from "../object.ts";
import type { PartOf } from "../projected.ts";
import { groupResource, type Resource } from "../resource.ts";
import type { PersistentVolumeClaim, Pod, Service } from "../types/core-v1.gen.ts";
import type { ResourceClaim } from "../types/resource-v1.gen.ts";

// What is read of objects to tell what they use of quotas, and whether a quota is about them.

export const POD_FIELDS = [
  "spec.containers.name",
  "spec.containers.restartPolicy",
  "spec.containers.resources",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "spec.initContainers.resources",
  "spec.resources",
  "spec.overhead",
  "spec.activeDeadlineSeconds",
  "spec.priorityClassName",
  "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.namespaces",
  "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution.namespaceSelector",
  "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm.namespaces",
  "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm.namespaceSelector",
  "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.namespaces",
  "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.namespaceSelector",
  "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm.namespaces",
  "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm.namespaceSelector",
  "status.phase",
  "status.extendedResourceClaimStatus.resourceClaimName",
  "status.conditions.type",
  "status.conditions.reason",
  "status.containerStatuses.name",
  "status.containerStatuses.resources",
  "status.containerStatuses.allocatedResources",
  "status.initContainerStatuses.name",
  "status.initContainerStatuses.resources",
  "status.initContainerStatuses.allocatedResources",
] as const;

export const SERVICE_FIELDS = [
  "spec.type",
  "spec.ports.nodePort",
  "spec.allocateLoadBalancerNodePorts",
] as const;

export const CLAIM_FIELDS = [
  "metadata.annotations[volume.beta.kubernetes.io/storage-class]",
  "spec.storageClassName",
  "spec.resources.requests.storage",
  "spec.volumeAttributesClassName",
  "status.allocatedResources.storage",
  "status.currentVolumeAttributesClassName",
  "status.modifyVolumeStatus.targetVolumeAttributesClassName",
] as const;

export const DEVICE_CLAIM_FIELDS = [
  "metadata.annotations[resource.kubernetes.io/extended-resource-claim]",
  "spec.devices.requests",
] as const;

export type CountedPod = PartialObject & PartOf<Pod, (typeof POD_FIELDS)[number]>;
export type CountedService = PartialObject & PartOf<Service, (typeof SERVICE_FIELDS)[number]>;
export type CountedClaim = PartialObject & PartOf<PersistentVolumeClaim, (typeof CLAIM_FIELDS)[number]>;
type DeviceClaim = PartOf<ResourceClaim, (typeof DEVICE_CLAIM_FIELDS)[number]>;
/** Of a version that is known by its metadata alone there is no spec. */
export type CountedDeviceClaim = PartialObject &
  Omit<DeviceClaim, "spec"> &
  Partial<Pick<DeviceClaim, "spec">>;

// What an object is, its resource tells.

export function isPod(resource: Resource, _object: PartialObject): _object is CountedPod {
  return groupResource(resource) === "pods";
}

export function isService(resource: Resource, _object: PartialObject): _object is CountedService {
  return groupResource(resource) === "services";
}

export function isClaim(resource: Resource, _object: PartialObject): _object is CountedClaim {
  return groupResource(resource) === "persistentvolumeclaims";
}

export function isDeviceClaim(resource: Resource, _object: PartialObject): _object is CountedDeviceClaim {
  return isClaimForDevices(resource);
}

export function isClaimForDevices(resource: Resource): boolean {
  return groupResource(resource) === "resourceclaims.resource.k8s.io";
}
