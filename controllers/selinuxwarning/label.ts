import type { SELinuxOptions } from "../../pkg/api/types/core-v1.gen.ts";

/** User, role, type and level; "" for what is not said. */
export type LabelParts = readonly [string, string, string, string];

const NOTHING_SAID = ":::";

/** Of what is not said nothing is known here: nodes fill it in, each as its own system has it. */
export function labelOf({ user = "", role = "", type = "", level = "" }: SELinuxOptions): string {
  const label = [user, role, type, level].join(":");
  return label === NOTHING_SAID ? "" : label;
}

/** The level may have colons of its own. */
export function partsOf(label: string): LabelParts {
  const [user = "", role = "", type = "", ...level] = label.split(":");
  return [user, role, type, level.join(":")];
}

/**
 * Whether no node could make the same of both. What one of them does not say may be what the other says, but for the
 * level, which nodes never fill in.
 */
export function labelsConflict(one: LabelParts, other: LabelParts): boolean {
  if (one[3] !== other[3]) return true;
  return one.some((part, at) => part !== "" && other[at] !== "" && part !== other[at]);
}
