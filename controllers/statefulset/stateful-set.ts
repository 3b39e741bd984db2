import { type IntOrString, scaledValue } from "../../pkg/api/int-or-string.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";

/** Throws a SelectorError for a selector that cannot be read. */
export function podSelector(set: StatefulSet): LabelSelector {
  return selectorFromSpec(set.spec?.selector);
}

export function desiredReplicas(set: StatefulSet): number {
  return set.spec?.replicas ?? 1;
}

export function minReadySeconds(set: StatefulSet): number {
  return set.spec?.minReadySeconds ?? 0;
}

/** The ordinal of the first pod. */
export function startOrdinal(set: StatefulSet): number {
  return set.spec?.ordinals?.start ?? 0;
}

export function inOrdinalRange(set: StatefulSet, ordinal: number): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + desiredReplicas(set);
}

/** Whether pods may come and go all at once, instead of one after the other. */
export function allowsBurst(set: StatefulSet): boolean {
  return set.spec?.podManagementPolicy === "Parallel";
}

export function claimTemplates(set: StatefulSet): readonly PersistentVolumeClaim[] {
  return set.spec?.volumeClaimTemplates ?? [];
}

export function isRollingUpdate(set: StatefulSet): boolean {
  return set.spec?.updateStrategy?.type === "RollingUpdate";
}

/** How many pods, from the first on, a rolling update leaves as they are. */
export function partition(set: StatefulSet): number {
  return set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
}

/** How many pods may be unavailable in a rolling update; a small percentage is at least one. */
export function maxUnavailable(set: StatefulSet): number {
  const value: IntOrString = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  return Math.max(1, scaledValue(value, desiredReplicas(set), "down"));
}

/** When pods wake it. */
export const OWNER_OF_PODS = { selector: podSelector, minReadySeconds };
