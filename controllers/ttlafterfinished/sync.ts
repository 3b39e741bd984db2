import { identityOf, readLive } from "../../pkg/controller/read-live.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { deleteJob } from "./apply.ts";
import type { TtlContext } from "./context.ts";
import { decideExpiry, type ExpiringJob, type Expiry } from "./expiry.ts";

type Sync = OwnerSync<ExpiringJob>;

/** Deletes the Job when its time is over, by the cache and then by the server; otherwise comes back when it will be. */
export async function cleanUpJob(sync: Sync, context: TtlContext): Promise<SyncResult> {
  const byCache = expiryOf(sync.owner, sync, context);
  if (byCache.kind !== "expired") return resultOf(byCache);
  // Its time to live may have been changed since the cache saw it. Another Job that has its name comes by itself.
  const fresh = await readLive(context.client, identityOf(sync.owner), sync.signal);
  if (fresh === undefined) return {};
  const byServer = expiryOf(fresh, sync, context);
  if (byServer.kind !== "expired") return resultOf(byServer);
  sync.decided("The Job has expired", { sinceMs: context.clock.nowMs() - byServer.sinceMs });
  await deleteJob(context, fresh, byServer.sinceMs, sync.signal);
  return {};
}

function expiryOf(job: ExpiringJob, { log }: Sync, { clock }: TtlContext): Expiry {
  const expiry = decideExpiry(job, clock.nowMs());
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
