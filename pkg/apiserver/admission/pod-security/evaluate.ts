import { baselineChecks } from "./baseline-checks.ts";
import type { Check, CheckedPod, VersionedCheck, Violation } from "./check.ts";
import type { LevelVersion } from "./policy.ts";
import { restrictedChecks } from "./restricted-checks.ts";

/** What the pod does that the level, as it was in that version, does not allow. Versions to come are like the newest. */
export function violations({ level, version }: LevelVersion, pod: CheckedPod): readonly Violation[] {
  if (level === "privileged") return [];
  const baseline = inForce(baselineChecks, version);
  const restricted = level === "baseline" ? [] : inForce(restrictedChecks, version);
  const replaced = new Set(restricted.map(({ instead }) => instead));
  return [...baseline.filter(({ id }) => !replaced.has(id)), ...restricted].flatMap(
    ({ check }) => check(pod) ?? [],
  );
}

function inForce(
  checks: readonly Check[],
  version: number,
): readonly (VersionedCheck & { readonly id: string })[] {
  return checks.flatMap(({ id, versions }) => {
    const latest = versions.findLast(({ since }) => since <= version);
    return latest === undefined ? [] : [{ ...latest, id }];
  });
}

export function describeViolations(found: readonly Violation[]): string {
  return found.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}
