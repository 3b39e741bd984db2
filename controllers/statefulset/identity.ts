import { parseInt32 } from "../../pkg/api/int64.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";

const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const POD_INDEX_LABEL = "apps.kubernetes.io/pod-index";
export const REVISION_LABEL = "controller-revision-hash";

/** No leading zeros: web-01 is not the pod that a StatefulSet makes for 1, and must not take its place. */
const MEMBER_NAME = /^(.*)-(0|[1-9][0-9]*)$/;
export const LARGEST_ORDINAL = 2 ** 31 - 1;

/** The pod's place in its StatefulSet; undefined when its name does not say. */
export function ordinalOf(pod: Pod): number | undefined {
  return readName(pod)?.ordinal;
}

/** The pod's place in its StatefulSet, for pods that are known to have one. */
export function placeOf(pod: Pod): number {
  return ordinalOf(pod) ?? -1;
}

/** Whether the pod's name makes it a pod of the StatefulSet. */
export function isMember(set: StatefulSet, pod: Pod): boolean {
  return readName(pod)?.parent === set.metadata.name;
}

export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name ?? ""}-${ordinal}`;
}

export function revisionOf(pod: Pod): string {
  return pod.metadata.labels?.[REVISION_LABEL] ?? "";
}

/** Whether the labels say which pod it is. */
export function identityMatches(pod: Pod): boolean {
  return pod.metadata.labels?.[POD_NAME_LABEL] === pod.metadata.name;
}

/** The pod under the name and the labels that its place gives it, and with those of `more`. */
export function withIdentity(
  set: StatefulSet,
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

function readName(pod: Pod): { readonly parent: string; readonly ordinal: number } | undefined {
  const [, parent, digits] = MEMBER_NAME.exec(pod.metadata.name ?? "") ?? [];
  const ordinal = parseInt32(digits ?? "");
  return parent === undefined || ordinal === undefined ? undefined : { parent, ordinal };
}
