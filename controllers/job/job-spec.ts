import type { Job, PodFailurePolicy } from "../../pkg/api/types/batch-v1.gen.ts";

/** This controller's name in spec.managedBy. */
const SELF = "kubernetes.io/job-controller";

export function isIndexed(job: Job): boolean {
  return job.spec?.completionMode === "Indexed";
}

export function completionMode(job: Job): "Indexed" | "NonIndexed" {
  return isIndexed(job) ? "Indexed" : "NonIndexed";
}

export function hasKnownMode(job: Job): boolean {
  const mode = job.spec?.completionMode ?? "NonIndexed";
  return mode === "Indexed" || mode === "NonIndexed";
}

/** How many indexes an indexed Job has, which it always says. */
export function indexCount(job: Job): number {
  return job.spec?.completions ?? 0;
}

export function parallelism(job: Job): number {
  return job.spec?.parallelism ?? 1;
}

/** Failures that a Job survives. With a limit per index there is as good as none for the Job as a whole. */
export function backoffLimit(job: Job): number {
  return job.spec?.backoffLimit ?? (hasLimitPerIndex(job) ? 2 ** 31 - 1 : 6);
}

export function hasLimitPerIndex(job: Job): boolean {
  return job.spec?.backoffLimitPerIndex !== undefined;
}

export function podFailurePolicy(job: Job): PodFailurePolicy | undefined {
  return job.spec?.podFailurePolicy;
}

/** Whether a pod that is being deleted has to end before another takes its place. */
export function replacesFailedOnly(job: Job): boolean {
  return job.spec?.podReplacementPolicy === "Failed" || podFailurePolicy(job) !== undefined;
}

/** The controller that has taken the Job over from this one. */
export function externalManager(job: Job): string | undefined {
  const manager = job.spec?.managedBy;
  return manager === SELF ? undefined : manager;
}
