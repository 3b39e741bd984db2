import {
  newRevision,
  nextRevision,
  revisionsWithData,
  sameData,
  surplusRevisions,
  templateData,
} from "../../pkg/api/controller-revision.ts";
import type { Int64 } from "../../pkg/api/int64.ts";
import { isObject } from "../../pkg/api/patch/json.ts";
import { applyStrategicMergePatch } from "../../pkg/api/patch/strategic-merge-patch.ts";
import { patchSchemaOf } from "../../pkg/api/patch/patch-schema.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { revisionOf } from "./identity.ts";
import type { CachedPod } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface Revisions {
  /** The revision before the update that is going on; the same as `update` when none is. */
  readonly current: Stored<ControllerRevision>;
  /** The revision that the StatefulSet asks for. */
  readonly update: Stored<ControllerRevision>;
  readonly collisionCount: number;
}

export type RevisionPlan =
  | { readonly action: "keep"; readonly revision: Stored<ControllerRevision>; readonly reason: string }
  | {
      readonly action: "renumber";
      readonly revision: Stored<ControllerRevision>;
      readonly number: Int64;
      readonly reason: string;
    }
  | { readonly action: "create"; readonly revision: ControllerRevision; readonly reason: string };

/** Gives a template the form and the defaults with which the server returns it. */
export type TemplateDefaults = (template: PodTemplateSpec) => PodTemplateSpec;

/** By template: the data of the revision that was found to hold it. A StatefulSet is synced often, and seldom changed. */
const heldIn = new WeakMap<PodTemplateSpec, unknown>();

/** Which revision the StatefulSet asks for; `revisions` are its own, oldest first. */
export function decideRevision(
  set: Stored<StatefulSet>,
  revisions: readonly Stored<ControllerRevision>[],
  defaults: TemplateDefaults | undefined,
): RevisionPlan {
  const { template = {} } = set.spec ?? {};
  const latest = revisions.at(-1);
  if (latest?.data !== undefined && heldIn.get(template) === latest.data) return keep(latest);
  const data = templateData(template);
  const equal = revisionsWithData(revisions, data).at(-1);
  if (latest !== undefined && equal !== undefined && sameData(latest.data, equal.data)) {
    heldIn.set(template, latest.data);
    return keep(latest);
  }
  if (equal !== undefined) {
    const reason = "the template is that of an earlier revision again";
    return { action: "renumber", revision: equal, number: nextRevision(revisions), reason };
  }
  if (latest !== undefined && defaults !== undefined && meansTheSame(set, latest, data, defaults)) {
    return { action: "keep", revision: latest, reason: "the template differs in its defaults only" };
  }
  const created = createdRevision(set, data, nextRevision(revisions));
  return { action: "create", revision: created, reason: "the template is new" };
}

function keep(revision: Stored<ControllerRevision>): RevisionPlan {
  return { action: "keep", revision, reason: "the template has not changed" };
}

/** The revision that the status names as current, if it still exists. */
export function currentRevision(
  set: Stored<StatefulSet>,
  revisions: readonly Stored<ControllerRevision>[],
): Stored<ControllerRevision> | undefined {
  return revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
}

/** The template that a revision keeps. Throws a PatchError when its data is no patch. */
export function restoredTemplate(
  set: Stored<StatefulSet>,
  { data }: Stored<ControllerRevision>,
): PodTemplateSpec {
  const schema = patchSchemaOf("apps/v1", "StatefulSet");
  if (schema === undefined || !isObject(data)) return {};
  const patched = applyStrategicMergePatch({ spec: { ...set.spec } }, data, schema);
  return (patched["spec"] as StatefulSet["spec"])?.template ?? {};
}

/** The revisions above the limit of the history that neither the StatefulSet nor any of its pods uses. */
export function decideTruncation(
  set: Stored<StatefulSet>,
  revisions: readonly Stored<ControllerRevision>[],
  live: { readonly pods: readonly CachedPod[]; readonly names: readonly (string | undefined)[] },
): readonly Stored<ControllerRevision>[] {
  const names = new Set<string | undefined>([...live.names, ...live.pods.map(revisionOf)]);
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  return surplusRevisions(revisions, ({ metadata }) => names.has(metadata.name), limit);
}

function createdRevision(set: Stored<StatefulSet>, data: unknown, revision: Int64): ControllerRevision {
  return newRevision({
    owner: set,
    ownerResource: resources.statefulSets,
    labels: set.spec?.template.metadata?.labels ?? {},
    annotations: set.metadata.annotations ?? {},
    data,
    revision,
    collisionCount: set.status?.collisionCount ?? 0,
  });
}

/** Servers of other versions write the same template in other bytes, with another default or with null for nothing. */
function meansTheSame(
  set: Stored<StatefulSet>,
  existing: Stored<ControllerRevision>,
  data: unknown,
  defaults: TemplateDefaults,
): boolean {
  const restored = defaults(restoredTemplate(set, existing));
  return sameData(templateData(restored), data);
}
