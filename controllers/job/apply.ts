import { combinedError } from "../../pkg/api/errors.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Job, JobStatus } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { Patch } from "../../pkg/client/resource-client.ts";
import { isGone } from "../../pkg/controller/read-live.ts";
import { SLOW_START_INITIAL_BATCH, slowStartBatch } from "../../pkg/controller/slow-start.ts";
import type { JobContext } from "./context.ts";
import { hasFinalizer, TRACKING_FINALIZER, uidOf } from "./job-pods.ts";
import { podNamePrefixForIndex, podTemplate, podTemplateForIndex } from "./pod-template.ts";
import type { JobView } from "./view.ts";

const RELEASE: Patch = {
  type: "strategic",
  body: { metadata: { "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] } },
};

export interface Deleted {
  readonly count: number;
  readonly ready: number;
  /** What failed, if anything did. */
  readonly error: unknown;
}

/** Deletes pods that the Job needs no more, in any state: they are not to be counted, so their finalizer goes first. */
export async function deleteSurplus(
  context: JobContext,
  job: Job,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<Deleted> {
  context.deletions.expectDeletions(job, pods.map(keyOf));
  return deleteEach(pods, async (pod) => {
    try {
      if (hasFinalizer(pod)) await context.podControl.patch(refOf(pod), RELEASE, signal);
      await context.podControl.delete(pod, job, signal);
    } catch (error) {
      // No event will tell of this deletion any more.
      context.deletions.deletionObserved(job, keyOf(pod));
      throw error;
    }
  });
}

/** Deletes the pods of a Job that is about to end. They keep their finalizer until they are counted. */
export async function deleteActive(
  context: JobContext,
  job: Job,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<Deleted> {
  return deleteEach(pods, async (pod) => context.podControl.delete(pod, job, signal));
}

async function deleteEach(pods: readonly Pod[], remove: (pod: Pod) => Promise<void>): Promise<Deleted> {
  const errors: unknown[] = [];
  let ready = 0;
  const removeOne = async (pod: Pod): Promise<void> => {
    try {
      await remove(pod);
    } catch (error) {
      if (!isGone(error)) {
        errors.push(error);
        return;
      }
    }
    if (isPodReady(pod)) ready++;
  };
  await Promise.all(pods.map(removeOne));
  return { count: pods.length - errors.length, ready, error: combinedError(errors) };
}

export interface Created {
  readonly count: number;
  readonly error: unknown;
}

/** Creates pods in batches that grow while all goes well; with indexes, one for each. */
export async function createPods(
  context: JobContext,
  view: JobView,
  count: number,
  indexes: readonly number[] | undefined,
  signal: AbortSignal,
): Promise<Created> {
  const { job } = view;
  const reference = newControllerRef(job, resources.jobs);
  context.expectations.expectCreations(job, count);
  const plain = podTemplate(job);
  const create = async (position: number): Promise<void> => {
    const index = indexes?.[position];
    const template =
      index === undefined ? plain : podTemplateForIndex(job, index, view.indexes?.lastFailed.get(index));
    const prefix = index === undefined ? undefined : podNamePrefixForIndex(job, index);
    try {
      await context.podControl.create(template, job, reference, signal, prefix);
    } catch (error) {
      // In a namespace that is going away there is nothing to be done, nor to be reported.
      if (!isNamespaceTerminating(error)) throw error;
    }
  };
  const { successes, errors } = await slowStartBatch(count, SLOW_START_INITIAL_BATCH, create);
  // What was not created will not be seen either.
  context.expectations.lower(job, count - successes, 0);
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
  context: JobContext,
  job: Job,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<Released> {
  const uids = new Set<string>();
  const errors: unknown[] = [];
  context.finalizers.expectRemoval(job, pods.map(uidOf));
  const release = async (pod: Pod): Promise<void> => {
    try {
      await context.podControl.patch(refOf(pod), RELEASE, signal);
    } catch (error) {
      context.finalizers.removalObserved(job, uidOf(pod));
      if (!isNotFound(error)) {
        errors.push(error);
        return;
      }
    }
    uids.add(uidOf(pod));
  };
  await Promise.all(pods.map(release));
  return { uids, error: combinedError(errors) };
}

/** For a pod that no Job will count any more. */
export async function releaseOrphan(context: JobContext, pod: Pod, signal: AbortSignal): Promise<void> {
  try {
    await context.podControl.patch(refOf(pod), RELEASE, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** A conflict is not tried again here: what was decided on an older version has to be decided anew. */
export async function writeStatus(
  context: JobContext,
  job: Job,
  status: JobStatus,
  signal: AbortSignal,
): Promise<Job> {
  const updated = await context.client.updateStatus({ ...job, status }, {}, signal);
  context.consistency?.wroteOwner(resources.jobs, updated);
  return updated;
}

function refOf(pod: Pod): { readonly namespace: string; readonly name: string } {
  return { namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" };
}
