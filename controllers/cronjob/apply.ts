import { messageOf } from "../../pkg/api/errors.ts";
import { keyOf, type Stored, type StoredObject } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import { formatTime, parseTime } from "../../pkg/api/time.ts";
import type { CronJob, Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { ObjectReference } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../pkg/client/errors.ts";
import { readLive } from "../../pkg/controller/read-live.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { isActive, withStarted } from "./active-list.ts";
import type { CronJobContext } from "./context.ts";
import { jobFromTemplate } from "./job-from-template.ts";

type Run = Pick<OwnerSync<CronJob>, "log" | "owner" | "signal">;

/** Deletes this very Job, and its pods after it. Says what went wrong in an event, too. */
export async function deleteJob(
  run: Run,
  context: CronJobContext,
  cronJob: CronJob,
  job: StoredObject,
): Promise<void> {
  const { name } = job.metadata;
  try {
    await context.jobWrites.delete(run, job, { propagationPolicy: "Background" });
  } catch (error) {
    run.signal.throwIfAborted();
    context.events.event(cronJob, "Warning", "FailedDelete", `Deleted job: ${messageOf(error)}`);
    run.log.error(error, "A Job could not be deleted", { job: name });
    throw error;
  }
  context.events.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
}

/** Deletes a Job that still runs, so that the next can take its place. Another one of that name is left alone. */
export async function deleteActiveJob(
  run: Run,
  context: CronJobContext,
  cronJob: CronJob,
  reference: ObjectReference,
): Promise<void> {
  const { signal } = run;
  let job: Stored<Job> | undefined;
  try {
    job = await readLive(context.jobClient, { ...reference, uid: reference.uid }, signal);
  } catch (error) {
    signal.throwIfAborted();
    context.events.event(cronJob, "Warning", "FailedGet", `Get job: ${messageOf(error)}`);
    throw error;
  }
  if (job === undefined) return;
  try {
    await deleteJob(run, context, cronJob, job);
  } catch (error) {
    throw new Error(`could not replace job ${keyOf(job)}`, { cause: error });
  }
}

/**
 * Creates the Job of this minute and lists it in the status. When it is there already but not listed, an earlier run
 * ended in between: then it is listed only. Gives the CronJob unchanged when the Job is somebody else's, or is listed.
 */
export async function startJob(
  run: Run,
  context: CronJobContext,
  cronJob: Stored<CronJob>,
  scheduledMs: number,
): Promise<Stored<CronJob>> {
  const { log, signal } = run;
  const draft = jobFromTemplate(cronJob, scheduledMs);
  const scheduleTime = formatTime(scheduledMs);
  try {
    const job = await context.jobWrites.create(run, draft);
    const createdMs = parseTime(job.metadata.creationTimestamp) ?? scheduledMs;
    context.creationSkew.observe((createdMs - scheduledMs) / 1_000);
    context.events.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${job.metadata.name}`);
    return withStarted(cronJob, job, scheduleTime);
  } catch (error) {
    signal.throwIfAborted();
    if (!isAlreadyExists(error)) {
      // In a namespace that is going away nothing can be created, an event neither.
      if (!isNamespaceTerminating(error))
        context.events.event(cronJob, "Warning", "FailedCreate", `Error creating job: ${messageOf(error)}`);
      throw error;
    }
  }
  const { namespace = "", name = "" } = draft.metadata;
  const existing = await context.jobClient.get({ namespace, name }, {}, signal);
  if (!isControlledBy(existing, cronJob) || isActive(cronJob, existing.metadata.uid)) return cronJob;
  log.info("The Job exists already; it is listed only", { job: name });
  return withStarted(cronJob, existing, scheduleTime);
}
