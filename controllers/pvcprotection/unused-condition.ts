import { findCondition } from "../../pkg/api/conditions.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
} from "../../pkg/api/types/core-v1.gen.ts";

/** Behind this gate claims say since when no pod uses them. */
export const UNUSED_SINCE_GATE = "PersistentVolumeClaimUnusedSinceTime";
const UNUSED = "Unused";

export function saysWhetherUnused({ status }: Pick<PersistentVolumeClaim, "status">): boolean {
  return findCondition(status?.conditions, UNUSED) !== undefined;
}

/** The conditions of the claim with one that says whether it is used; undefined where they say so already. */
export function conditionsOfUse(
  { status }: Pick<PersistentVolumeClaim, "status">,
  isUsed: boolean,
  nowMs: number,
): readonly PersistentVolumeClaimCondition[] | undefined {
  const conditions = status?.conditions ?? [];
  const before = findCondition(conditions, UNUSED);
  // upstream: pvc_protection_controller.go#updateUnusedCondition leaves an unknown status of a used claim as it is.
  const saysSo = isUsed ? before?.status !== "True" : before?.status === "True";
  if (before !== undefined && saysSo) return undefined;
  const next = { type: UNUSED, ...(isUsed ? USED : NOT_USED), lastTransitionTime: formatTime(nowMs) };
  return before === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === before ? next : condition));
}

const USED = {
  status: "False",
  reason: "PodUsingPVC",
  message: "A pod is currently referencing this PVC",
};
const NOT_USED = {
  status: "True",
  reason: "NoPodsUsingPVC",
  message: "No pods are currently referencing this PVC",
};
