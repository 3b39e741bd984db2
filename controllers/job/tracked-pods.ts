import { type LabelSelector, requiredLabelValue } from "../../pkg/api/labels.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import { hasFinalizer } from "./job-pods.ts";

/** API servers select the pods of a Job by this label, unless the Job brings a selector of its own. */
const CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid";

export const TRACKED_PODS_INDEX = "trackedPods";

/** The pods with the finalizer by their Job's label: a look at every pod of the namespace for each Job would be quadratic. */
export function trackedPodsIndex(pod: Pod): readonly string[] {
  const uid = pod.metadata.labels?.[CONTROLLER_UID_LABEL];
  return uid === undefined || !hasFinalizer(pod) ? [] : [indexValue(pod.metadata.namespace ?? "", uid)];
}

/** The pods of the namespace that have the finalizer and are selected. */
export function trackedPods(pods: Lister<Pod>, namespace: string, selector: LabelSelector): readonly Pod[] {
  const uid = requiredLabelValue(selector, CONTROLLER_UID_LABEL);
  if (uid === undefined) return pods.inNamespace(namespace, selector).filter(hasFinalizer);
  const candidates = pods.byIndex(TRACKED_PODS_INDEX, indexValue(namespace, uid));
  return candidates.filter(({ metadata: { labels } }) => selector.matches(labels));
}

function indexValue(namespace: string, uid: string): string {
  return `${namespace}/${uid}`;
}
