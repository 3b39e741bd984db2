import { compareInt64, parseInt32, parseInt64 } from "../../pkg/api/int64.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { desiredReplicas, maxSurge } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

export const REVISION = "deployment.kubernetes.io/revision";
/** Revisions that a ReplicaSet had before it was rolled back to, joined by commas. */
export const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
/** The Deployment's size when the ReplicaSet was last scaled: a difference means that the user has scaled since. */
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
/** The Deployment's size and surge together: the ReplicaSet's size is a share of that. */
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
export const ROLLBACK_TO = "deprecated.deployment.rollback.to";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** About 100 revisions. */
const MAX_HISTORY_CHARACTERS = 2_000;

type Annotations = Readonly<Record<string, string>>;

/** Annotations that are not copied between a Deployment and its ReplicaSets. */
const OWN: ReadonlySet<string> = new Set([
  LAST_APPLIED,
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

/** Undefined when the annotation is not a number of 64 bits; 0 when there is none. */
export function revisionOf(object: Deployment | ReplicaSet): bigint | undefined {
  return parseInt64(object.metadata.annotations?.[REVISION] ?? "0");
}

/**
 * The revision that comes after these. After the highest number that there is comes the lowest, which is never written,
 * as it is below every other.
 */
export function nextRevision(replicaSets: readonly Stored<ReplicaSet>[]): bigint {
  return BigInt.asIntN(64, (revisionsOf(replicaSets)[0] ?? 0n) + 1n);
}

/** The second highest: where an undo without a number goes. 0 when there is none. */
export function lastRevision(replicaSets: readonly Stored<ReplicaSet>[]): bigint {
  return revisionsOf(replicaSets)[1] ?? 0n;
}

/** Sorted from high to low; those below 0 are left out. */
function revisionsOf(replicaSets: readonly Stored<ReplicaSet>[]): readonly bigint[] {
  const revisions = replicaSets.flatMap((replicaSet) => revisionOf(replicaSet) ?? []);
  return revisions.filter((revision) => revision > 0n).sort((a, b) => compareInt64(b, a));
}

/** The annotations that the current ReplicaSet is to have; the very same object when nothing changes. */
export function currentAnnotations(
  deployment: Stored<Deployment>,
  before: Annotations | undefined,
  revision: bigint,
): Annotations | undefined {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key, value]) => !OWN.has(key) && before?.[key] !== value,
  );
  const held = before?.[REVISION];
  const heldNumber = parseInt64(held || "0");
  // Somebody else wrote a revision that is not a number: it stays, and so does the history.
  const rises = heldNumber !== undefined && heldNumber < revision;
  if (copied.length === 0 && !rises) return before;
  return {
    ...before,
    ...Object.fromEntries(copied),
    ...(rises && { [REVISION]: String(revision) }),
    ...(rises && held && historyWith(before?.[REVISION_HISTORY] ?? "", held)),
  };
}

/** Adds a revision to the history; the oldest give way when it would become too long. */
function historyWith(history: string, revision: string): Annotations {
  const revisions = history === "" ? [revision] : [...history.split(","), revision];
  while (revisions.length > 1 && revisions.join(",").length > MAX_HISTORY_CHARACTERS) revisions.shift();
  return { [REVISION_HISTORY]: revisions.join(",") };
}

export function sizeAnnotations(deployment: Stored<Deployment>): Annotations {
  const desired = desiredReplicas(deployment);
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(desired + maxSurge(deployment)) };
}

export function hasSizeAnnotations(deployment: Stored<Deployment>, replicaSet: Stored<ReplicaSet>): boolean {
  return Object.entries(sizeAnnotations(deployment)).every(
    ([key, value]) => replicaSet.metadata.annotations?.[key] === value,
  );
}

/** A count in an annotation; undefined when it is missing or not a count. */
export function countAnnotation(replicaSet: Stored<ReplicaSet>, key: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[key];
  return text !== undefined && /^\d+$/.test(text) ? parseInt32(text) : undefined;
}

/** The Deployment's annotations after going back to this ReplicaSet: its own, and those of the ReplicaSet. */
export function rolledBackAnnotations(
  deployment: Stored<Deployment>,
  replicaSet: Stored<ReplicaSet>,
): Annotations {
  const keep = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => OWN.has(key));
  const take = Object.entries(replicaSet.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  return Object.fromEntries([...keep, ...take]);
}
