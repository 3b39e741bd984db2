import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { CachedPod } from "./fields.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";

const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";
export const REVISION_LABEL = "controller-revision-hash";

export const LARGEST_ORDINAL = 2 ** 31 - 1;
const MOST_DIGITS = String(LARGEST_ORDINAL).length;
const ZERO = "0".charCodeAt(0);

/** The pod's place in its StatefulSet; undefined when its name does not say. */
export function ordinalOf(pod: CachedPod): number | undefined {
  const { name = "" } = pod.metadata;
  return ordinalAfter(name, name.lastIndexOf("-"));
}

/** The pod's place in its StatefulSet, for pods that are known to have one. */
export function placeOf(pod: CachedPod): number {
  return ordinalOf(pod) ?? -1;
}

/** Whether the pod's name makes it a pod of the StatefulSet. */
export function isMember(set: Stored<StatefulSet>, pod: CachedPod): boolean {
  const { name = "" } = pod.metadata;
  const { name: parent } = set.metadata;
  // The name of the StatefulSet may have dashes, too.
  const dash = name.lastIndexOf("-");
  return dash === parent.length && name.startsWith(parent) && ordinalAfter(name, dash) !== undefined;
}

export function podName(set: Stored<StatefulSet>, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

export function revisionOf(pod: CachedPod): string {
  return pod.metadata.labels?.[REVISION_LABEL] ?? "";
}

/** Whether the labels say which pod it is. */
export function identityMatches(pod: CachedPod): boolean {
  return pod.metadata.labels?.[POD_NAME_LABEL] === pod.metadata.name;
}

/** The pod under the name and the labels that its place gives it, and with those of `more`. */
export function withIdentity(
  set: Stored<StatefulSet>,
  pod: Pod,
  ordinal: number,
  more: Readonly<Record<string, string>> = {},
): Pod {
  const name = podName(set, ordinal);
  const labels = {
    ...pod.metadata.labels,
    [POD_NAME_LABEL]: name,
    [POD_INDEX_LABEL]: String(ordinal),
    ...more,
  };
  return { ...pod, metadata: { ...pod.metadata, name, labels } };
}

/**
 * Read digit by digit, as each sync asks for the place of each pod several times. There are no leading zeros: web-01 is
 * not the pod that a StatefulSet makes for 1, and must not take its place.
 */
function ordinalAfter(name: string, dash: number): number | undefined {
  const first = dash + 1;
  const digits = name.length - first;
  if (dash < 0 || digits < 1 || digits > MOST_DIGITS) return undefined;
  let ordinal = 0;
  for (let at = first; at < name.length; at++) {
    const digit = name.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9 || (digit === 0 && at === first && digits > 1)) return undefined;
    ordinal = ordinal * 10 + digit;
  }
  return ordinal <= LARGEST_ORDINAL ? ordinal : undefined;
}
