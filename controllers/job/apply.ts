import { combinedError } from "../../pkg/api/errors.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { PodDraft } from "../../pkg/controller/owned-pods.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { JobContext } from "./context.ts";
import { uidOf, type PodOfJob } from "./job-pods.ts";
import { podNamePrefixForIndex, podTemplate, podTemplateForIndex } from "./pod-template.ts";
import type { PodsPlan } from "./pods-plan.ts";
import type { JobView } from "./view.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Sync = OwnerSync<Job>;

export interface Created {
  readonly count: number;
  /** What failed, if anything did. */
  readonly error: unknown;
}

/** Creates as many pods as are planned; with indexes, one for each. */
export async function createPods(
  sync: Sync,
  context: JobContext,
  view: JobView,
  { count, indexes }: Extract<PodsPlan, { readonly action: "create" }>,
): Promise<Created> {
  const { job } = view;
  const plain: PodDraft = { template: podTemplate(job) };
  const draft = (position: number): PodDraft => {
    const index = indexes?.[position];
    if (index === undefined) return plain;
    const template = podTemplateForIndex(job, index, view.indexes?.lastFailed.get(index));
    return { template, generateName: podNamePrefixForIndex(job, index) };
  };
  const { successes, errors } = await context.owned.createEach(sync, count, draft);
  countCreated(context, view, successes, errors.length);
  return { count: successes, error: combinedError(errors) };
}

function countCreated(context: JobContext, view: JobView, successes: number, failures: number): void {
  const { job, failed, terminating } = view;
  let reason = "new";
  if (job.spec?.podReplacementPolicy === "Failed" && failed > 0) reason = "recreate_failed";
  else if (failed > 0 || terminating > 0) reason = "recreate_terminating_or_failed";
  const { podsCreated } = context.metrics;
  if (successes > 0) podsCreated.inc({ reason, status: "succeeded" }, successes);
  if (failures > 0) podsCreated.inc({ reason, status: "failed" }, failures);
}

export interface Released {
  /** Pods that have no finalizer any more, those that are gone included. */
  readonly uids: ReadonlySet<string>;
  readonly error: unknown;
}

/** Takes the finalizers off. What was taken off is not taken for uncounted, though the cache may show it yet. */
export async function releasePods(
  { owner, signal }: Sync,
  { finalizers, owned }: JobContext,
  pods: readonly PodOfJob[],
): Promise<Released> {
  const uids = new Set<string>();
  const errors: unknown[] = [];
  finalizers.expectRemoval(owner, pods.map(uidOf));
  const release = async (pod: PodOfJob): Promise<void> => {
    try {
      await owned.takeOffFinalizer(pod, signal);
      uids.add(uidOf(pod));
    } catch (error) {
      finalizers.removalObserved(owner, uidOf(pod));
      errors.push(error);
    }
  };
  await Promise.all(pods.map(release));
  return { uids, error: combinedError(errors) };
}

/** A conflict is not tried again here: what was decided on an older version has to be decided anew. */
export async function writeStatus(
  sync: Sync,
  { writes }: JobContext,
  job: Stored<Job>,
  status: JobStatus,
): Promise<Stored<Job>> {
  return writes.updateStatus(sync, { ...job, status });
}
