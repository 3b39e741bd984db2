import { throwAfter } from "../../pkg/api/errors.ts";
import { isJobFinished } from "../../pkg/api/job.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { CronJob } from "../../pkg/api/types/batch-v1.gen.ts";
import { isUnreachable } from "../../pkg/client/errors.ts";
import { readLive } from "../../pkg/controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { isActive, withoutActive } from "./active-list.ts";
import { deleteActiveJob, deleteJob, startJob } from "./apply.ts";
import { type CronJobContext, JOB_MANAGER_INDEX } from "./context.ts";
import { type CachedJob, jobsBeyondHistory, observeFinished } from "./finished-jobs.ts";
import { untilNextMs } from "./missed-schedules.ts";
import { decideStart } from "./start.ts";

type Sync = OwnerSync<CronJob>;

/**
 * One look at a CronJob: old Jobs go, the status takes note of what has become of the others, and a Job starts when it
 * is time. All changes of the status are written at once, at the end, and also when something failed on the way.
 */
export async function syncCronJob(sync: Sync, context: CronJobContext): Promise<SyncResult> {
  const run = new CronJobRun(sync, context);
  let result: SyncResult;
  try {
    result = await run.sync(context.jobs.lister.byIndex(JOB_MANAGER_INDEX, sync.owner.metadata.uid));
  } catch (error) {
    sync.signal.throwIfAborted();
    return throwAfter(error, async () => run.writeStatus());
  }
  await run.writeStatus();
  return result;
}

/** The CronJob as it is to be, step by step. */
class CronJobRun {
  readonly #sync: Sync;
  readonly #context: CronJobContext;
  #written: Stored<CronJob>;
  #cronJob: Stored<CronJob>;

  constructor(sync: Sync, context: CronJobContext) {
    this.#sync = sync;
    this.#context = context;
    this.#written = sync.owner;
    this.#cronJob = sync.owner;
  }

  async sync(jobs: readonly CachedJob[]): Promise<SyncResult> {
    await this.#removeOldJobs(jobs);
    await this.#noteUnlistedJobs(jobs);
    this.#noteFinishedJobs(jobs);
    await this.#noteMissingJobs(jobs);
    if (this.#cronJob.metadata.deletionTimestamp !== undefined) return {};
    return this.#startWhenDue();
  }

  async writeStatus(): Promise<void> {
    if (this.#cronJob.status === this.#written.status) return;
    // It is remembered: a sync on what it was before would be refused.
    await this.#context.writes.updateStatusUnread(this.#sync, this.#cronJob);
  }

  async #removeOldJobs(jobs: readonly CachedJob[]): Promise<void> {
    for (const job of jobsBeyondHistory(this.#cronJob, jobs)) {
      try {
        await deleteJob(this.#sync, this.#context, this.#cronJob, job);
      } catch (error) {
        // The server that is not there is waited for; what it refuses is tried again with the next sync, as upstream does.
        this.#sync.signal.throwIfAborted();
        if (isUnreachable(error)) throw error;
        continue;
      }
      // What was not listed need not be taken off the list.
      if (isActive(this.#cronJob, job.metadata.uid))
        this.#cronJob = withoutActive(this.#cronJob, job.metadata.uid);
    }
  }

  /** Jobs that run and are not listed: the cache may be behind, or an earlier run ended before it could list them. */
  async #noteUnlistedJobs(jobs: readonly CachedJob[]): Promise<void> {
    for (const job of jobs) {
      if (isJobFinished(job) || isActive(this.#cronJob, job.metadata.uid)) continue;
      const fresh = await this.#context.writes.live(this.#sync, this.#cronJob);
      if (fresh === undefined) throw new Error("the CronJob is gone, and the cache has yet to show it");
      if (isActive(fresh, job.metadata.uid)) {
        this.#written = fresh;
        this.#cronJob = fresh;
        continue;
      }
      const message = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
      this.#tell("Warning", "UnexpectedJob", message);
    }
  }

  #noteFinishedJobs(jobs: readonly CachedJob[]): void {
    const { cronJob, completed } = observeFinished(this.#cronJob, jobs);
    for (const { job, condition } of completed) {
      const message = `Saw completed job: ${job.metadata.name}, condition: ${condition}`;
      this.#tell("Normal", "SawCompletedJob", message);
    }
    this.#cronJob = cronJob;
  }

  async #noteMissingJobs(jobs: readonly CachedJob[]): Promise<void> {
    const known = new Set<string | undefined>(jobs.map(({ metadata }) => metadata.uid));
    for (const reference of this.#cronJob.status?.active ?? []) {
      if (known.has(reference.uid)) continue;
      // The cache may not have seen it yet.
      const identity = { ...reference, uid: reference.uid };
      if ((await readLive(this.#context.jobClient, identity, this.#sync.signal)) !== undefined) continue;
      this.#tell("Normal", "MissingJob", `Active job went missing: ${reference.name ?? ""}`);
      this.#cronJob = withoutActive(this.#cronJob, reference.uid);
    }
  }

  async #startWhenDue(): Promise<SyncResult> {
    const nowMs = this.#context.clock.nowMs();
    const plan = decideStart(this.#cronJob, this.#context.localZone, nowMs);
    for (const { type, reason, message } of plan.notices) this.#tell(type, reason, message);
    if (plan.action === "start") {
      this.#sync.decided("A Job is started", { scheduledMs: plan.scheduledMs, replaces: plan.replaces });
      if (plan.replaces) await this.#removeActiveJobs();
      this.#cronJob = await startJob(this.#sync, this.#context, this.#cronJob, plan.scheduledMs);
    } else {
      this.#sync.decided("No Job is started", { why: plan.why });
      if (plan.action === "none") return {};
    }
    const requeueAfterMs = untilNextMs(this.#cronJob, plan.schedule, nowMs);
    return requeueAfterMs === undefined ? {} : { requeueAfterMs };
  }

  /** One after another: those that are gone are off the list though the next may not go. */
  async #removeActiveJobs(): Promise<void> {
    for (const reference of this.#cronJob.status?.active ?? []) {
      await deleteActiveJob(this.#sync, this.#context, this.#cronJob, reference);
      this.#cronJob = withoutActive(this.#cronJob, reference.uid);
    }
  }

  #tell(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#context.events.event(this.#cronJob, type, reason, message);
  }
}
