import type { Projected } from "../../pkg/api/projected.ts";
import type { ResourceClaim, ResourceSlice } from "../../pkg/api/types/resource-v1.gen.ts";

/** What is read of slices and claims; requests are written back whole. */
export const SLICE_FIELDS = ["spec.driver", "spec.nodeName", "spec.pool", "spec.devices.name"] as const;
export const CLAIM_FIELDS = ["status.allocation.devices.results"] as const;

export type CachedSlice = Projected<ResourceSlice, typeof SLICE_FIELDS>;
export type CachedClaim = Projected<ResourceClaim, typeof CLAIM_FIELDS>;
