import { compareInt64 } from "../../pkg/api/int64.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { revisionOf } from "./annotations.ts";
import { byAge, sizeOf } from "./replica-sets.ts";
import { podsOf } from "./status.ts";
import { revisionHistoryLimit } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** The old ReplicaSets above the history limit, oldest revisions first. Those that have pods, or may have, stay. */
export function decideCleanup(
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
): readonly Stored<ReplicaSet>[] {
  const limit = revisionHistoryLimit(deployment);
  if (limit === undefined) return [];
  const kept = old.filter((replicaSet) => replicaSet.metadata.deletionTimestamp === undefined);
  return kept
    .toSorted(byRevision)
    .slice(0, Math.max(0, kept.length - limit))
    .filter(isEmpty);
}

/** It has no pods, and its spec asks for none, as its controller knows. */
function isEmpty(replicaSet: Stored<ReplicaSet>): boolean {
  const observed = replicaSet.status?.observedGeneration ?? 0;
  return (
    podsOf(replicaSet) === 0 && sizeOf(replicaSet) === 0 && (replicaSet.metadata.generation ?? 0) <= observed
  );
}

/** Where a revision is not a number, age decides. */
function byRevision(one: Stored<ReplicaSet>, other: Stored<ReplicaSet>): number {
  const [a, b] = [revisionOf(one), revisionOf(other)];
  return a === undefined || b === undefined || a === b ? byAge(one, other) : compareInt64(a, b);
}
