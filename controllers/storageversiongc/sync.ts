import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { applyReports } from "./apply.ts";
import type { StorageVersionContext } from "./context.ts";
import { type CachedVersion, planReports, reportsOf } from "./reports.ts";
import { leaseOf } from "./sync-servers.ts";

/** Takes out of one StorageVersion what was reported by those that are no API servers (any more). */
export async function syncStorageVersion(
  sync: OwnerSync<CachedVersion>,
  context: StorageVersionContext,
): Promise<SyncResult> {
  const { owner, signal } = sync;
  const read = await context.writes.live(sync, owner);
  if (read === undefined) return {};
  const gone = new Set<string>();
  for (const { apiServerID } of reportsOf(read))
    if ((await leaseOf(context, apiServerID, signal)) !== "server") gone.add(apiServerID);
  const plan = planReports(read, (id) => gone.has(id), context.clock.nowMs());
  if (plan.action !== "keep")
    sync.decided("What servers have reported that are gone", { servers: [...gone] });
  await applyReports(context, read, plan, signal);
  return {};
}
