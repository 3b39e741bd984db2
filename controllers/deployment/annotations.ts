import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { desiredReplicas, maxSurge } from "./strategy.ts";

export const REVISION = "deployment.kubernetes.io/revision";
/** Revisions that a ReplicaSet had before it was rolled back to, joined by commas. */
export const REVISION_HISTORY = "deployment.kubernetes.io/revision-history";
/** The Deployment's size when the ReplicaSet was last scaled: a difference means that the user has scaled since. */
export const DESIRED_REPLICAS = "deployment.kubernetes.io/desired-replicas";
/** The same with surge: the whole of which the ReplicaSet's size is a share. */
export const MAX_REPLICAS = "deployment.kubernetes.io/max-replicas";
export const ROLLBACK_TO = "deprecated.deployment.rollback.to";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** About 100 revisions. */
const MAX_HISTORY_CHARACTERS = 2_000;

type Annotations = Readonly<Record<string, string>>;

/** What belongs to one of the two objects alone and is not handed on to the other. */
const OWN: ReadonlySet<string> = new Set([
  LAST_APPLIED,
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);

/** Undefined when the annotation is not a number; 0 when there is none. */
export function revisionOf(object: Deployment | ReplicaSet): number | undefined {
  return parseRevision(object.metadata.annotations?.[REVISION] ?? "0");
}

export function highestRevision(replicaSets: readonly ReplicaSet[]): number {
  return Math.max(0, ...replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0));
}

/** The second highest: where an undo without a number goes. 0 when there is none. */
export function lastRevision(replicaSets: readonly ReplicaSet[]): number {
  const revisions = replicaSets.map((replicaSet) => revisionOf(replicaSet) ?? 0);
  return revisions.sort((a, b) => b - a)[1] ?? 0;
}

/** The annotations that the current ReplicaSet is to have; the very same object when nothing changes. */
export function currentAnnotations(
  deployment: Deployment,
  before: Annotations | undefined,
  revision: number,
): Annotations | undefined {
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(
    ([key, value]) => !OWN.has(key) && before?.[key] !== value,
  );
  const held = before?.[REVISION];
  const heldNumber = parseRevision(held || "0");
  // A revision that is not a number was written by another hand: it is left alone, and with it all that depends on it.
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

export function sizeAnnotations(deployment: Deployment): Annotations {
  const desired = desiredReplicas(deployment);
  return { [DESIRED_REPLICAS]: String(desired), [MAX_REPLICAS]: String(desired + maxSurge(deployment)) };
}

export function hasSizeAnnotations(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return Object.entries(sizeAnnotations(deployment)).every(
    ([key, value]) => replicaSet.metadata.annotations?.[key] === value,
  );
}

/** A count in an annotation; undefined when it is missing or not a count. */
export function countAnnotation(replicaSet: ReplicaSet, key: string): number | undefined {
  const text = replicaSet.metadata.annotations?.[key];
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const count = Number(text);
  return count < 2 ** 31 ? count : undefined;
}

/** The Deployment's annotations after going back to this ReplicaSet: its own, and those of the ReplicaSet. */
export function rolledBackAnnotations(deployment: Deployment, replicaSet: ReplicaSet): Annotations {
  const keep = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => OWN.has(key));
  const take = Object.entries(replicaSet.metadata.annotations ?? {}).filter(([key]) => !OWN.has(key));
  return Object.fromEntries([...keep, ...take]);
}

function parseRevision(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
