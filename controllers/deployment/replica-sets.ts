import { semanticEqual } from "../../pkg/api/equality.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** Label that sets the pods of one revision apart from those of the others. */
export const POD_TEMPLATE_HASH = "pod-template-hash";

/** The ReplicaSets of a Deployment: the one of its current template, if there is one yet, and all others. */
export interface Revisions {
  readonly current: Stored<ReplicaSet> | undefined;
  readonly old: readonly Stored<ReplicaSet>[];
}

/** What a sync has in hand: as the cache knows it at first, then as the server answered to each write. */
export interface Round extends Revisions {
  readonly deployment: Stored<Deployment>;
}

export function allOf({ current, old }: Revisions): readonly Stored<ReplicaSet>[] {
  return current === undefined ? old : [...old, current];
}

/**
 * Tells the current ReplicaSet from the old ones. Should several have the current template (an upgrade of the cluster
 * may change what a template looks like), it is the oldest, always the same one.
 */
export function splitRevisions(
  deployment: Stored<Deployment>,
  owned: readonly Stored<ReplicaSet>[],
): Revisions {
  const sorted = owned.toSorted(byAge);
  const current = sorted.find((replicaSet) =>
    sameTemplate(templateOf(replicaSet), deployment.spec?.template),
  );
  return { current, old: sorted.filter((replicaSet) => replicaSet !== current) };
}

/** Templates are the same whatever hash label the Deployment's controller has put on them. */
export function sameTemplate(one: PodTemplateSpec | undefined, other: PodTemplateSpec | undefined): boolean {
  return semanticEqual(withoutHash(one), withoutHash(other), "core.v1.PodTemplateSpec");
}

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const { [POD_TEMPLATE_HASH]: hash, ...labels } = template?.metadata?.labels ?? {};
  return hash === undefined ? template : { ...template, metadata: { ...template?.metadata, labels } };
}

export function templateOf(replicaSet: Stored<ReplicaSet>): PodTemplateSpec | undefined {
  return replicaSet.spec?.template;
}

export function sizeOf(replicaSet: Stored<ReplicaSet>): number {
  return replicaSet.spec?.replicas ?? 1;
}

export function availableOf(replicaSet: Stored<ReplicaSet>): number {
  return replicaSet.status?.availableReplicas ?? 0;
}

export function totalSize(replicaSets: readonly Stored<ReplicaSet>[]): number {
  return sum(replicaSets, sizeOf);
}

export function sum(
  replicaSets: readonly Stored<ReplicaSet>[],
  count: (replicaSet: Stored<ReplicaSet>) => number,
): number {
  return replicaSets.reduce((total, replicaSet) => total + count(replicaSet), 0);
}

/** Those that are to have pods. */
export function activeOf(replicaSets: readonly Stored<ReplicaSet>[]): readonly Stored<ReplicaSet>[] {
  return replicaSets.filter((replicaSet) => sizeOf(replicaSet) > 0);
}

/** From old to new; equal times by name. */
export function byAge(one: Stored<ReplicaSet>, other: Stored<ReplicaSet>): number {
  return createdMs(one) - createdMs(other) || compareNames(one, other);
}

/** From large to small; of equal size the old first. */
export function bySizeThenOld(one: Stored<ReplicaSet>, other: Stored<ReplicaSet>): number {
  return sizeOf(other) - sizeOf(one) || byAge(one, other);
}

/** From large to small; of equal size the new first. */
export function bySizeThenNew(one: Stored<ReplicaSet>, other: Stored<ReplicaSet>): number {
  return sizeOf(other) - sizeOf(one) || byAge(other, one);
}

function createdMs(replicaSet: Stored<ReplicaSet>): number {
  return parseTime(replicaSet.metadata.creationTimestamp) ?? 0;
}

function compareNames(one: Stored<ReplicaSet>, other: Stored<ReplicaSet>): number {
  const [a, b] = [one.metadata.name, other.metadata.name];
  return a < b ? -1 : Number(a > b);
}
