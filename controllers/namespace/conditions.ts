import { findCondition } from "../../pkg/api/conditions.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { NamespaceCondition } from "../../pkg/api/types/core-v1.gen.ts";
import { finalizerTotals, type Remainder } from "./remaining.ts";

/** The result of one attempt to empty a namespace. */
export interface Outcome {
  /** Why not all resources are known. */
  readonly discoveryFailure?: string;
  /** Why the version of a resource cannot be read. */
  readonly versionFailure?: string;
  readonly deletionFailures: readonly string[];
  readonly remainders: readonly Remainder[];
}

type Finding = Omit<NamespaceCondition, "lastTransitionTime">;

/** Every condition, as it is while nothing is wrong. */
const SUCCESSES: readonly Finding[] = [
  success(
    "NamespaceDeletionDiscoveryFailure",
    "ResourcesDiscovered",
    "All resources successfully discovered",
  ),
  success(
    "NamespaceDeletionGroupVersionParsingFailure",
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ),
  success(
    "NamespaceDeletionContentFailure",
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ),
  success("NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"),
  success(
    "NamespaceFinalizersRemaining",
    "ContentHasNoFinalizers",
    "All content-preserving finalizers finished",
  ),
];

/** The conditions after this outcome; the same array when nothing changes. Conditions of others stay as they are. */
export function updatedConditions(
  before: readonly NamespaceCondition[],
  outcome: Outcome,
  nowMs: number,
): readonly NamespaceCondition[] {
  const problems = problemsOf(outcome);
  return SUCCESSES.reduce(
    (conditions, success) => withFinding(conditions, findCondition(problems, success.type) ?? success, nowMs),
    before,
  );
}

function problemsOf(outcome: Outcome): readonly Finding[] {
  const { discoveryFailure, versionFailure, deletionFailures, remainders } = outcome;
  const problems: Finding[] = [];
  const add = (type: string, reason: string, message: string): void =>
    void problems.push({ type, status: "True", reason, message });
  if (discoveryFailure !== undefined)
    add("NamespaceDeletionDiscoveryFailure", "DiscoveryFailed", discoveryFailure);
  if (versionFailure !== undefined)
    add("NamespaceDeletionGroupVersionParsingFailure", "GroupVersionParsingFailed", versionFailure);
  if (deletionFailures.length > 0) {
    const all = deletionFailures.toSorted().join(", ");
    add(
      "NamespaceDeletionContentFailure",
      "ContentDeletionFailed",
      `Failed to delete all resource types, ${deletionFailures.length} remaining: ${all}`,
    );
  }
  const resources = remainders.filter(({ count }) => count > 0).map(describeRemainder);
  if (resources.length > 0) {
    const all = resources.toSorted().join(", ");
    add("NamespaceContentRemaining", "SomeResourcesRemain", `Some resources are remaining: ${all}`);
  }
  const finalizers = [...finalizerTotals(remainders)].map(
    ([name, count]) => `${name} in ${count} resource instances`,
  );
  if (finalizers.length > 0) {
    const all = finalizers.toSorted().join(", ");
    add(
      "NamespaceFinalizersRemaining",
      "SomeFinalizersRemain",
      `Some content in the namespace has finalizers remaining: ${all}`,
    );
  }
  return problems;
}

/** The core group leaves the dot at the end, as upstream does: "pods. has 2 resource instances". */
function describeRemainder({ resource, count }: Remainder): string {
  return `${resource.plural}.${resource.group} has ${count} resource instances`;
}

function withFinding(
  conditions: readonly NamespaceCondition[],
  finding: Finding,
  nowMs: number,
): readonly NamespaceCondition[] {
  const before = findCondition(conditions, finding.type);
  const lastTransitionTime = formatTime(nowMs);
  if (before === undefined) return [...conditions, { ...finding, lastTransitionTime }];
  const { status, reason, message } = finding;
  if (before.status === status && before.reason === reason && before.message === message) return conditions;
  const after = { ...before, ...finding, ...(before.status !== status && { lastTransitionTime }) };
  return conditions.map((condition) => (condition === before ? after : condition));
}

function success(type: string, reason: string, message: string): Finding {
  return { type, status: "False", reason, message };
}
