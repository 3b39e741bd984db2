import { type LabelSelector, requiredLabelValue } from "../../pkg/api/labels.ts";
import { hasFinalizer, type CachedPod } from "./job-pods.ts";

/** API servers select the pods of a Job by this label, unless the Job brings a selector of its own. */
const CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid";

export const TRACKED_PODS_INDEX = "trackedPods";

/** The pods with the finalizer by their Job's label: a look at every pod of the namespace for each Job would be quadratic. */
export function trackedPodsIndex(pod: CachedPod): readonly string[] {
  const uid = pod.metadata.labels?.[CONTROLLER_UID_LABEL];
  return uid === undefined || !hasFinalizer(pod) ? [] : [indexValue(pod.metadata.namespace ?? "", uid)];
}

/** Where the index has all tracked pods that the selector can match; undefined when it selects by something else. */
export function trackedPodsValue(namespace: string, selector: LabelSelector): string | undefined {
  const uid = requiredLabelValue(selector, CONTROLLER_UID_LABEL);
  return uid === undefined ? undefined : indexValue(namespace, uid);
}

function indexValue(namespace: string, uid: string): string {
  return `${namespace}/${uid}`;
}
