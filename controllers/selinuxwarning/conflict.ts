import { splitKey } from "../../pkg/api/object.ts";

/** What of a pod is not as another one has it that uses the same volume. */
export type Property = "SELinuxLabel" | "SELinuxChangePolicy";

/** As it looks to one of the two pods. */
export interface Conflict {
  readonly property: Property;
  /** Key of the pod. */
  readonly pod: string;
  readonly value: string;
  readonly otherPod: string;
  readonly otherValue: string;
}

/** The conflict for both pods. */
export function bothWays(conflict: Conflict): readonly [Conflict, Conflict] {
  const { property, pod, value, otherPod, otherValue } = conflict;
  return [conflict, { property, pod: otherPod, value: otherValue, otherPod: pod, otherValue: value }];
}

/** Nobody is told of what there is in other namespaces. */
export function messageOfConflict({ property, pod, value, otherPod, otherValue }: Conflict): string {
  const only = "If both pods land on the same node, only one of them may access the volume.";
  const other = splitKey(otherPod);
  if (splitKey(pod).namespace === other.namespace)
    return `${property} "${value}" conflicts with pod ${other.name} that uses the same volume as this pod with ${property} "${otherValue}". ${only}`;
  // upstream: cache/conflict.go#EventMessage has no space before the value.
  return `${property}"${value}" conflicts with another pod that uses the same volume as this pod with a different ${property}. ${only}`;
}
