import type { Projected } from "../../pkg/api/projected.ts";
import type { Node, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { SERVICE_FIELDS } from "../../pkg/endpoints/backing-pods.ts";

/** Annotations that ask for hints by topology; of the two, the older one decides. */
export const OLD_TOPOLOGY_ANNOTATION = "service.kubernetes.io/topology-aware-hints";
export const TOPOLOGY_ANNOTATION = "service.kubernetes.io/topology-mode";

/** What is read of Services and nodes. */
export const CACHED_SERVICE_FIELDS = [
  `metadata.annotations[${OLD_TOPOLOGY_ANNOTATION}]`,
  `metadata.annotations[${TOPOLOGY_ANNOTATION}]`,
  ...SERVICE_FIELDS,
  "spec.trafficDistribution",
] as const;
export const NODE_FIELDS = [
  "status.conditions.type",
  "status.conditions.status",
  "status.allocatable.cpu",
] as const;

export type CachedService = Projected<Service, typeof CACHED_SERVICE_FIELDS>;
export type CachedNode = Projected<Node, typeof NODE_FIELDS>;
