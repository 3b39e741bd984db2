import { throwAll } from "../../pkg/api/errors.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { V1alpha1StorageVersion as StorageVersion } from "../../pkg/api/types/internal-v1alpha1.gen.ts";
import { isExpired } from "../../pkg/client/errors.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { applyReports } from "./apply.ts";
import type { StorageVersionContext } from "./context.ts";
import { planReports, reportsOf } from "./reports.ts";
import { leaseOf } from "./sync-servers.ts";

const PAGE_SIZE = 500;

/** The Lease of an API server is gone: what it has reported goes from all StorageVersions. The key is its id. */
export async function forgetServer(sync: Sync, context: StorageVersionContext): Promise<SyncResult> {
  const { key: id, signal } = sync;
  // It is back, or another one has its name: who that is, is asked when a StorageVersion changes.
  if ((await leaseOf(context, id, signal)) !== "none") return {};
  const failures: unknown[] = [];
  for (const version of await versionsReportedBy(context, id, signal)) {
    const plan = planReports(version, (each) => each === id, context.clock.nowMs());
    sync.decided("A server that is gone has reported it", { storageVersion: version.metadata.name });
    try {
      await applyReports(context, version, plan, signal);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  throwAll(failures);
  return {};
}

/** As the server has them: what the cache has is older than the Lease's end. */
async function versionsReportedBy(
  { versionClient }: StorageVersionContext,
  id: string,
  signal: AbortSignal,
): Promise<readonly Stored<StorageVersion>[]> {
  const found = new Map<string, Stored<StorageVersion>>();
  const take = (version: Stored<StorageVersion>): void => {
    if (reportsOf(version).some(({ apiServerID }) => apiServerID === id))
      found.set(version.metadata.uid, version);
  };
  let meta = await versionClient.listEach({ limit: PAGE_SIZE }, take, signal);
  while (meta.continue) {
    try {
      meta = await versionClient.listEach({ limit: PAGE_SIZE, continue: meta.continue }, take, signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      found.clear();
      meta = await versionClient.listEach({}, take, signal);
    }
  }
  return [...found.values()];
}
