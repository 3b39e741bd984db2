import { IntOrStringError, type IntOrString, scaledValue } from "../../pkg/api/int-or-string.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { parseInt64 } from "../../pkg/api/int64.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import type { DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";

/** The label of pods and of ControllerRevisions that says which template they are of. */
export const REVISION_HASH = "controller-revision-hash";
/** The label that pods had before there were revisions. Old and new pods are still told apart by it. */
export const TEMPLATE_GENERATION = "pod-template-generation";

const GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

export function podTemplate(daemonSet: DaemonSet): PodTemplateSpec {
  return daemonSet.spec?.template ?? {};
}

export function minReadySeconds(daemonSet: DaemonSet): number {
  return daemonSet.spec?.minReadySeconds ?? 0;
}

export function revisionHistoryLimit(daemonSet: DaemonSet): number {
  return daemonSet.spec?.revisionHistoryLimit ?? 10;
}

/** Throws a SelectorError for a selector that cannot be read. */
export function podSelector(daemonSet: DaemonSet): LabelSelector {
  return selectorFromSpec(daemonSet.spec?.selector);
}

/** The generation of the template as the API server counts it; undefined when the annotation is not a number. */
export function templateGeneration(daemonSet: DaemonSet): string | undefined {
  const annotation = daemonSet.metadata.annotations?.[GENERATION_ANNOTATION];
  return annotation === undefined ? undefined : parseInt64(annotation)?.toString();
}

export function isRollingUpdate(daemonSet: DaemonSet): boolean {
  return daemonSet.spec?.updateStrategy?.type === "RollingUpdate";
}

/** Whether a node may have an old and a new pod side by side. */
export function allowsSurge(daemonSet: DaemonSet): boolean {
  try {
    return surgeCount(daemonSet, 1) > 0;
  } catch (error) {
    if (error instanceof IntOrStringError) return false;
    throw error;
  }
}

export interface RollingLimits {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * What the strategy allows when `desired` nodes are to run a pod. Percentages are rounded up, both of them. Throws an
 * IntOrStringError for what is neither a number nor a percentage.
 */
export function rollingLimits(daemonSet: DaemonSet, desired: number): RollingLimits {
  const maxUnavailable = scaled(rolling(daemonSet)?.maxUnavailable, desired);
  const maxSurge = surgeCount(daemonSet, desired);
  // Otherwise the update could never begin.
  const stuck = desired > 0 && maxUnavailable === 0 && maxSurge === 0;
  return { maxSurge, maxUnavailable: stuck ? 1 : maxUnavailable };
}

function surgeCount(daemonSet: DaemonSet, desired: number): number {
  return scaled(rolling(daemonSet)?.maxSurge, desired);
}

function rolling(daemonSet: DaemonSet) {
  return isRollingUpdate(daemonSet) ? daemonSet.spec?.updateStrategy?.rollingUpdate : undefined;
}

function scaled(value: IntOrString | undefined, desired: number): number {
  return scaledValue(value ?? 0, desired, "up");
}

/** When pods wake it. */
export const OWNER_OF_PODS = { selector: podSelector, minReadySeconds, slackMs: 1_000 };
