import { parseInt32, parseInt64 } from "../../pkg/api/int64.ts";
import { largest } from "../../pkg/api/extremes.ts";
import { isJobFinished } from "../../pkg/api/job.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { type LabelSelector, SelectorError } from "../../pkg/api/labels.ts";
import { isRestartableInitContainer, podCondition } from "../../pkg/api/pod.ts";
import { RANKED_POD_FIELDS } from "../../pkg/api/pod-ranking.ts";
import type { Projected, PartOf } from "../../pkg/api/projected.ts";
import { parseTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { ContainerStatus, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { indexCount, isIndexed, replacesFailedOnly } from "./job-spec.ts";
import type { StoredObject, Stored } from "../../pkg/api/object.ts";

/** On each pod of a Job until the Job's status has counted it. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
export const INDEX_ANNOTATION = "batch.kubernetes.io/job-completion-index";
/** Failures of the index before this pod: those that count, and those that a policy ignores. */
export const FAILURES_ANNOTATION = "batch.kubernetes.io/job-index-failure-count";
export const IGNORED_FAILURES_ANNOTATION = "batch.kubernetes.io/job-index-ignored-failure-count";

/** What is read of pods; everything else is not kept in the cache on this controller's behalf. */
export const POD_FIELDS = [
  `metadata.annotations[${INDEX_ANNOTATION}]`,
  `metadata.annotations[${FAILURES_ANNOTATION}]`,
  `metadata.annotations[${IGNORED_FAILURES_ANNOTATION}]`,
  ...RANKED_POD_FIELDS,
  "status.containerStatuses.state.terminated.exitCode",
  "status.containerStatuses.state.terminated.finishedAt",
  "status.initContainerStatuses.state.terminated.exitCode",
  "status.initContainerStatuses.state.terminated.finishedAt",
] as const;
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;
/** One that was read: its uid is known. */
export type PodOfJob = Stored<CachedPod>;

export function uidOf(pod: StoredObject): string {
  return pod.metadata.uid;
}

export function hasFinalizer(pod: CachedPod): boolean {
  return pod.metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Undefined when it cannot be read; the server accepts none like that. */
export function selectorOf(job: Job): LabelSelector | undefined {
  try {
    return selectorFromSpec(job.spec?.selector);
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

/** Whether the Job that manages the pod will look at it no more, so that others have to take the finalizer off. */
export function isForsaken(pod: CachedPod, job: Job): boolean {
  if (isJobFinished(job)) return true;
  // A Job that is being deleted counts the pods that it selects. It lets none go that it does not: such a pod would
  // wait for the Job, and with foreground deletion the Job for the pod.
  const isSelected = selectorOf(job)?.matches(pod.metadata.labels) ?? false;
  return job.metadata.deletionTimestamp !== undefined && !isSelected;
}

/** Finished and not counted yet. */
export function isFinishedAndTracked(pod: CachedPod): boolean {
  const { phase } = pod.status ?? {};
  return (phase === "Failed" || phase === "Succeeded") && hasFinalizer(pod);
}

export function hasSucceeded(pod: CachedPod): boolean {
  return pod.status?.phase === "Succeeded";
}

/**
 * A pod that is being deleted counts as failed, as a pod without a kubelet never gets as far as to fail; unless its
 * replacement has to wait for its end.
 */
export function hasFailed(pod: CachedPod, job: Job): boolean {
  if (pod.status?.phase === "Failed") return true;
  if (replacesFailedOnly(job)) return false;
  return pod.metadata.deletionTimestamp !== undefined && !hasSucceeded(pod);
}

/** The pod's completion index; undefined when it has none that can be read. */
export function indexOf(pod: CachedPod): number | undefined {
  const text = pod.metadata.annotations?.[INDEX_ANNOTATION] ?? "";
  const short = shortNumber(text);
  if (short !== undefined) return short;
  const index = parseInt64(text);
  return index !== undefined && index >= 0n ? Number(index) : undefined;
}

/** A number as controllers write it, at a tenth of the cost: one sync reads those of 100,000 pods several times. */
function shortNumber(text: string): number | undefined {
  if (text.length === 0 || text.length > 9) return undefined;
  let number = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

/** An index that the Job still has. */
export function validIndexOf(pod: CachedPod, job: Job): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < indexCount(job) ? index : undefined;
}

/** Whether the pod counts for the Job: with indexes, only a pod with one of them does. */
export function counts(pod: CachedPod, job: Job): boolean {
  return !isIndexed(job) || validIndexOf(pod, job) !== undefined;
}

export function indexFailures(pod: CachedPod): number {
  return parseCount(pod.metadata.annotations?.[FAILURES_ANNOTATION]);
}

export function ignoredIndexFailures(pod: CachedPod): number {
  return parseCount(pod.metadata.annotations?.[IGNORED_FAILURES_ANNOTATION]);
}

/** Users can write there what they like; what is no int32 counts as none. */
function parseCount(text: string | undefined): number {
  return Math.max(0, parseInt32(text ?? "") ?? 0);
}

/**
 * When the pod finished: when its last container did, sidecars included; else since when it is not ready (what a
 * kubelet writes when a pod ends); else when its deletion was asked for; else when it was created.
 */
export function finishedMs(pod: CachedPod): number {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = pod.metadata;
  const notReady = podCondition(pod, "Ready");
  const deletionMs = parseTime(deletionTimestamp);
  return (
    containersFinishedMs(pod) ??
    (notReady?.status === "False" ? parseTime(notReady.lastTransitionTime) : undefined) ??
    (deletionMs === undefined ? undefined : deletionMs - Number(deletionGracePeriodSeconds) * 1_000) ??
    parseTime(creationTimestamp) ??
    0
  );
}

function containersFinishedMs(pod: CachedPod): number | undefined {
  const containersMs = latestFinishMs(pod.status?.containerStatuses ?? []);
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter(isRestartableInitContainer).map(({ name }) => name),
  );
  const sidecarStatuses = (pod.status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name));
  // upstream: pkg/controller/job/backoff_utils.go#getFinishTimeFromContainers: as long as one sidecar runs there is no
  // time, but containers that have not finished are passed over when there are sidecars.
  if (sidecarStatuses.length === 0) return containersMs;
  const sidecarsMs = latestFinishMs(sidecarStatuses);
  return sidecarsMs === undefined ? undefined : Math.max(sidecarsMs, containersMs ?? -Infinity);
}

/** Undefined when one of them has not finished, or when there are none. */
function latestFinishMs(
  statuses: readonly PartOf<ContainerStatus, "state.terminated.finishedAt">[],
): number | undefined {
  const times = statuses.map(({ state }) => parseTime(state?.terminated?.finishedAt));
  const known = times.filter((time) => time !== undefined);
  return known.length < times.length ? undefined : largest(known);
}
