import { DEVICE_CLAIM_FIELDS } from "../../pkg/api/device-claims.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ResourceClaimTemplate } from "../../pkg/api/types/resource-v1.gen.ts";
import type { V1alpha2PodGroup } from "../../pkg/api/types/scheduling-v1alpha2.gen.ts";

/** What is read of pods, groups and templates. Claims are written back whole. */
export const POD_FIELDS = [...DEVICE_CLAIM_FIELDS, "spec.nodeName", "status.phase"] as const;
export const GROUP_FIELDS = ["spec.resourceClaims", "status.resourceClaimStatuses"] as const;
export const TEMPLATE_FIELDS = ["spec"] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
export type CachedGroup = Projected<V1alpha2PodGroup, typeof GROUP_FIELDS>;
export type CachedTemplate = Projected<ResourceClaimTemplate, typeof TEMPLATE_FIELDS>;
