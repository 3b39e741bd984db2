import { hashRevisionData } from "./hash.ts";
import { knownFields } from "./known-fields.ts";
import { goJson } from "./go-json.ts";
import { addInt64, compareInt64, type Int64 } from "./int64.ts";
import type { StoredObject } from "./object.ts";
import { newControllerRef } from "./owner-references.ts";
import { jsonEqual } from "./patch/json.ts";
import type { Resource } from "./resource.ts";
import { parseTime } from "./time.ts";
import type { ControllerRevision } from "./types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "./types/core-v1.gen.ts";

/** Where a revision's own hash is kept; StatefulSets set it, DaemonSets have a label of their own. */
export const REVISION_HASH_LABEL = "controller.kubernetes.io/hash";

/** Leaves room for a dash, the hash and a pod's ordinal within 253 letters. */
const LONGEST_PREFIX = 223;

/**
 * What a revision of a workload keeps: a strategic merge patch that brings this template back. It has the fields that
 * this version knows: with others, an older manager beside a newer API server would roll every pod.
 */
export function templateData(template: PodTemplateSpec): unknown {
  return { spec: { template: { ...knownFields(template, "core.v1.PodTemplateSpec"), $patch: "replace" } } };
}

/**
 * A revision's data in the bytes that the Go program writes. They are what is compared and hashed: a revision in other
 * bytes would be a new revision to that program, and roll every pod.
 */
export function revisionJson(data: unknown): string {
  return goJson(data);
}

export function revisionName(ownerName: string, hash: string): string {
  return `${ownerName.slice(0, LONGEST_PREFIX)}-${hash}`;
}

export interface RevisionDraft {
  readonly owner: StoredObject;
  readonly ownerResource: Pick<Resource, "group" | "version" | "kind">;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly data: unknown;
  readonly revision: Int64;
  readonly collisionCount: number;
}

/** A revision under the name that its data's hash gives it. */
export function newRevision(draft: RevisionDraft): ControllerRevision {
  const { owner, ownerResource, labels, annotations, data, revision, collisionCount } = draft;
  const { name, namespace } = owner.metadata;
  const hash = hashRevisionData(revisionJson(data), collisionCount);
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: revisionName(name, hash),
      ...(namespace !== undefined && { namespace }),
      labels: { ...labels, [REVISION_HASH_LABEL]: hash },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [newControllerRef(owner, ownerResource)],
    },
    data,
    revision,
  };
}

/**
 * Whether two revisions hold the same data, byte for byte as far as JSON can tell: other than to the API, nothing, null
 * and empty are three things here.
 */
export function sameData(a: unknown, b: unknown): boolean {
  return jsonEqual(a, b);
}

/** Oldest first: by number, then by age, then by name. */
export function sortRevisions<R extends ControllerRevision>(revisions: readonly R[]): readonly R[] {
  return revisions.toSorted(
    (a, b) => compareInt64(a.revision, b.revision) || createdMs(a) - createdMs(b) || byName(a, b),
  );
}

/** The number after the highest one; 1 for the first. There is none after the highest of all: the server refuses it. */
export function nextRevision(revisions: readonly ControllerRevision[]): Int64 {
  let highest: Int64 = 0;
  for (const { revision } of revisions) if (revision > highest) highest = revision;
  return addInt64(highest, 1);
}

/** Those that hold this data, in their order. */
export function revisionsWithData<R extends ControllerRevision>(
  revisions: readonly R[],
  data: unknown,
): readonly R[] {
  return revisions.filter((revision) => sameData(revision.data, data));
}

/** Of revisions in order, oldest first: those to delete so that no more than `limit` are left that nobody uses. */
export function surplusRevisions<R extends ControllerRevision>(
  sorted: readonly R[],
  inUse: (revision: R) => boolean,
  limit: number,
): readonly R[] {
  if (limit < 0 || sorted.length <= limit) return [];
  const unused = sorted.filter((revision) => !inUse(revision));
  return unused.slice(0, Math.max(0, unused.length - limit));
}

function createdMs({ metadata }: ControllerRevision): number {
  return parseTime(metadata.creationTimestamp) ?? 0;
}

function byName(a: ControllerRevision, b: ControllerRevision): number {
  const [first = "", second = ""] = [a.metadata.name, b.metadata.name];
  return first < second ? -1 : Number(first > second);
}
