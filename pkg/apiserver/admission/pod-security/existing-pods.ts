import type { ApiObject } from "../../../api/object.ts";
import type { Pod } from "../../../api/types/core-v1.gen.ts";
import { violations } from "./evaluate.ts";
import { describePolicy, type LevelVersion } from "./policy.ts";

/** Of more pods than this, which a namespace may have, only some are looked at. */
const MOST_PODS = 3000;

/** Warnings of pods that a new policy of their namespace would refuse; one for all that violate it in the same way. */
export function existingPodWarnings(
  namespace: string,
  policy: LevelVersion,
  pods: readonly (Pod & ApiObject)[],
): readonly string[] {
  const checked = oneOfEachControllerFirst(pods).slice(0, MOST_PODS);
  const violators = new Map<string, string[]>();
  for (const { metadata, spec = { containers: [] } } of checked) {
    const found = violations(policy, { annotations: metadata.annotations ?? {}, spec });
    if (found.length === 0) continue;
    const reasons = found.map(({ reason }) => reason).join(", ");
    const names = violators.get(reasons) ?? [];
    violators.set(reasons, names);
    names.push(metadata.name ?? "");
  }
  const details = [...violators].map(([reasons, names]) => `${describeNames(names)}: ${reasons}`).sort();
  return [
    ...(checked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(details.length > 0
      ? [
          `existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${JSON.stringify(describePolicy(policy))}`,
        ]
      : []),
    ...details,
  ];
}

function oneOfEachControllerFirst(pods: readonly (Pod & ApiObject)[]): readonly (Pod & ApiObject)[] {
  const seen = new Set<string>();
  const [first, others]: [(Pod & ApiObject)[], (Pod & ApiObject)[]] = [[], []];
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
    (owner !== undefined && seen.has(owner) ? others : first).push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...others];
}

function describeNames(names: readonly string[]): string {
  const [first = ""] = names.toSorted();
  if (names.length === 1) return first;
  return `${first} (and ${names.length - 1} other ${names.length === 2 ? "pod" : "pods"})`;
}
