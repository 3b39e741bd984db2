import type { ApiObject } from "../../pkg/api/object.ts";
import { apiVersionOf, groupResource, type Resource, type TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";

const affinityTerms = ["podAffinity", "podAntiAffinity"].flatMap((affinity) => [
  `spec.affinity.${affinity}.requiredDuringSchedulingIgnoredDuringExecution`,
  `spec.affinity.${affinity}.preferredDuringSchedulingIgnoredDuringExecution.podAffinityTerm`,
]);
const containerParts = (kind: "containers" | "initContainers"): readonly string[] =>
  ["name", "restartPolicy", "resources"].map((field) => `spec.${kind}.${field}`);
const statusParts = (kind: "containerStatuses" | "initContainerStatuses"): readonly string[] =>
  ["name", "resources", "allocatedResources"].map((field) => `status.${kind}.${field}`);

/** Resources whose objects use something else than themselves, and what is read of them; of others the number counts. */
export const measured: readonly {
  readonly resource: TypedResource<ApiObject>;
  readonly fields: readonly string[];
}[] = [
  {
    resource: resources.pods,
    fields: [
      ...containerParts("containers"),
      ...containerParts("initContainers"),
      "spec.resources",
      "spec.overhead",
      "spec.activeDeadlineSeconds",
      "spec.priorityClassName",
      ...affinityTerms.flatMap((term) => [`${term}.namespaces`, `${term}.namespaceSelector`]),
      "status.phase",
      "status.extendedResourceClaimStatus.resourceClaimName",
      "status.conditions.type",
      "status.conditions.reason",
      ...statusParts("containerStatuses"),
      ...statusParts("initContainerStatuses"),
    ],
  },
  {
    resource: resources.services,
    fields: ["spec.type", "spec.ports.nodePort", "spec.allocateLoadBalancerNodePorts"],
  },
  {
    resource: resources.persistentVolumeClaims,
    fields: [
      "metadata.annotations[volume.beta.kubernetes.io/storage-class]",
      "spec.storageClassName",
      "spec.resources.requests.storage",
      "spec.volumeAttributesClassName",
      "status.allocatedResources.storage",
      "status.currentVolumeAttributesClassName",
      "status.modifyVolumeStatus.targetVolumeAttributesClassName",
    ],
  },
  {
    resource: resources.resourceClaims,
    fields: ["metadata.annotations[resource.kubernetes.io/extended-resource-claim]", "spec.devices.requests"],
  },
];

/** What is read of the objects in this version of theirs; undefined where that is metadata alone. */
export function fieldsOf(resource: Resource): readonly string[] | undefined {
  return measured.find(
    (each) =>
      groupResource(each.resource) === groupResource(resource) &&
      apiVersionOf(each.resource) === apiVersionOf(resource),
  )?.fields;
}

const names = new Set(measured.map(({ resource }) => groupResource(resource)));

export function isMeasured(resource: Resource): boolean {
  return names.has(groupResource(resource));
}
