import { DEVICE_CLAIM_FIELDS } from "../../pkg/api/device-claims.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ResourceClaim, ResourceSlice } from "../../pkg/api/types/resource-v1.gen.ts";
import type { V1beta2DeviceTaintRule } from "../../pkg/api/types/resource-v1beta2.gen.ts";

/** What is read of pods, claims, slices and rules; everything else is not kept on this controller's behalf. */
export const POD_FIELDS = [...DEVICE_CLAIM_FIELDS, "spec.nodeName", "status.phase"] as const;
export const CLAIM_FIELDS = ["status.allocation.devices.results", "status.reservedFor"] as const;
export const SLICE_FIELDS = ["spec.driver", "spec.pool", "spec.devices.name", "spec.devices.taints"] as const;
export const RULE_FIELDS = ["spec", "status.conditions"] as const;

export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
export type CachedClaim = Projected<ResourceClaim, typeof CLAIM_FIELDS>;
export type CachedSlice = Projected<ResourceSlice, typeof SLICE_FIELDS>;
export type CachedRule = Projected<V1beta2DeviceTaintRule, typeof RULE_FIELDS>;
