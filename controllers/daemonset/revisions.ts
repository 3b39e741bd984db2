import { nextRevision, sameData, sortRevisions, templateData } from "../../pkg/api/controller-revision.ts";
import { computeHash } from "../../pkg/api/hash.ts";
import type { Int64 } from "../../pkg/api/int64.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { podTemplate, revisionHistoryLimit, REVISION_HASH } from "./daemon-set.ts";
import type { CachedPod } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** The revisions of a DaemonSet, told apart by whether they hold its current template. */
export interface Revisions {
  /** Undefined when there is none yet. */
  readonly current: Stored<ControllerRevision> | undefined;
  /** Others that hold the current template as well, and are to be deleted. */
  readonly duplicates: readonly Stored<ControllerRevision>[];
  /** Oldest first. */
  readonly old: readonly Stored<ControllerRevision>[];
  /** The number that the current revision is to have: one more than the highest of the old ones. */
  readonly number: Int64;
}

/** Among several revisions with the current template, the one with the highest number is current. */
export function splitRevisions(
  daemonSet: DaemonSet,
  owned: readonly Stored<ControllerRevision>[],
): Revisions {
  const data = templateData(podTemplate(daemonSet));
  const sorted = sortRevisions(owned);
  const holding = sorted.filter((revision) => sameData(revision.data, data));
  const old = sorted.filter((revision) => !holding.includes(revision));
  return { current: holding.at(-1), duplicates: holding.slice(0, -1), old, number: nextRevision(old) };
}

/** A draft of the revision of the current template. */
export function newRevision(daemonSet: Stored<DaemonSet>, number: Int64): ControllerRevision {
  const { name, namespace, annotations } = daemonSet.metadata;
  const template = podTemplate(daemonSet);
  const hash = computeHash(template, daemonSet.status?.collisionCount);
  return {
    apiVersion: "apps/v1",
    kind: resources.controllerRevisions.kind,
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [REVISION_HASH]: hash },
      ...(annotations && { annotations }),
      ownerReferences: [newControllerRef(daemonSet, resources.daemonSets)],
    },
    data: templateData(template),
    revision: number,
  };
}

export function holdsTemplate(revision: ControllerRevision, daemonSet: DaemonSet): boolean {
  return sameData(revision.data, templateData(podTemplate(daemonSet)));
}

/** The hash in the labels of the revision's pods. */
export function hashOf(revision: ControllerRevision): string {
  return revision.metadata.labels?.[REVISION_HASH] ?? "";
}

/** The revision with a hash label. Revisions from before there was that label get their name as the hash. */
export function withHash(revision: Stored<ControllerRevision>): Stored<ControllerRevision> {
  const { name, labels } = revision.metadata;
  if (labels?.[REVISION_HASH] !== undefined) return revision;
  return { ...revision, metadata: { ...revision.metadata, labels: { ...labels, [REVISION_HASH]: name } } };
}

/**
 * The old revisions to delete, oldest first, so that no more than the limit are left. Revisions that still have pods
 * stay, and count: with a limit of 2 and pods of revision 1, of 1 2 3 4 these are 2 and 3.
 */
export function surplusHistory(
  daemonSet: DaemonSet,
  old: readonly Stored<ControllerRevision>[],
  pods: readonly CachedPod[],
): readonly Stored<ControllerRevision>[] {
  const surplus = old.length - revisionHistoryLimit(daemonSet);
  if (surplus <= 0) return [];
  const live = new Set(pods.map((pod) => pod.metadata.labels?.[REVISION_HASH]));
  return old.filter((revision) => !live.has(hashOf(revision))).slice(0, surplus);
}
