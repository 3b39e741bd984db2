import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { identityOf, readLive } from "../../pkg/controller/read-live.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { deleteJob } from "./apply.ts";
import type { TtlContext } from "./context.ts";
import { decideExpiry, type Expiry } from "./expiry.ts";

/** Deletes the Job when its time is over, by the cache and then by the server; otherwise comes back when it will be. */
export async function cleanUpJob(
  key: string,
  context: TtlContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const cached = context.jobs.getByKey(key);
  if (cached === undefined) return {};
  const byCache = expiryOf(cached, context, log);
  if (byCache.kind !== "expired") return resultOf(byCache);
  // Its time to live may have been changed since the cache saw it. Another Job that has its name comes by itself.
  const fresh = await readLive(context.client, identityOf(cached), signal);
  if (fresh === undefined) return {};
  const byServer = expiryOf(fresh, context, log);
  if (byServer.kind !== "expired") return resultOf(byServer);
  log.verbose(4, "Cleaning up a Job", { job: key });
  await deleteJob(context, fresh, byServer.sinceMs, signal);
  return {};
}

function expiryOf(job: Job, context: TtlContext, log: Logger): Expiry {
  const expiry = decideExpiry(job, context.clock.nowMs());
  if (expiry.kind === "later" && expiry.finishesInFuture)
    log.info("The Job says that it finishes in the future: the clocks differ. Its clean-up is put off");
  // Trying again would not help: what is missing comes with a change of the Job.
  if (expiry.kind === "never" && expiry.reason === "no finish time")
    log.warn("The Job has finished but does not say when: it cannot be cleaned up");
  return expiry;
}

function resultOf(expiry: Expiry): SyncResult {
  return expiry.kind === "later" ? { requeueAfterMs: expiry.afterMs } : {};
}
