import type { Labels, LabelSelector } from "../../pkg/api/labels.ts";
import { nothing, selectorFromLabels } from "../../pkg/api/labels.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import type { ReplicaSet, ReplicaSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec, ReplicationController } from "../../pkg/api/types/core-v1.gen.ts";

/** The two kinds that keep a number of pods. They differ in the form of the selector and in nothing that decides. */
export type ReplicaOwner = ReplicaSet | ReplicationController;

/** What a ReplicationController's status lacks (terminatingReplicas) is left out there. */
export type ReplicaStatus = ReplicaSetStatus;

export function desiredReplicas(owner: ReplicaOwner): number {
  return owner.spec?.replicas ?? 1;
}

export function minReadySeconds(owner: ReplicaOwner): number {
  return owner.spec?.minReadySeconds ?? 0;
}

export function podTemplate(owner: ReplicaOwner): PodTemplateSpec {
  return owner.spec?.template ?? {};
}

/**
 * Which pods the owner selects. Throws a SelectorError for a selector that cannot be read. An empty selector selects
 * nothing: the server refuses it, and should one ever get through, it must not claim every pod of the namespace.
 */
export function podSelector(owner: ReplicaOwner): LabelSelector {
  const selector = owner.spec?.selector;
  const parsed = isLabelMap(selector) ? selectorFromLabels(selector) : selectorFromSpec(selector);
  return parsed.empty ? nothing : parsed;
}

/** A ReplicationController's selector is a plain map of labels, a ReplicaSet's an object of lists and maps. */
function isLabelMap(selector: ReplicaSelector): selector is Labels {
  return Object.values(selector ?? {}).every((value) => typeof value === "string");
}

type ReplicaSelector = NonNullable<ReplicaOwner["spec"]>["selector"];

/** When pods wake it. */
export const OWNER_OF_PODS = { selector: podSelector, minReadySeconds };
