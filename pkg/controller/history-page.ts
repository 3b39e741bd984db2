import type { DebugPage } from "./env.ts";
import { describeRecord, type SyncHistory } from "./history.ts";
import type { WorkerPool } from "./worker.ts";

interface Shown {
  readonly label: string;
  readonly pool: Pick<WorkerPool<unknown>, "liveness">;
  readonly history: SyncHistory | undefined;
}

/** What the queues of a controller do and have done; with `key`, for one key only, with `queue`, in one queue only. */
export function historyPage(queues: readonly Shown[], query: URLSearchParams): DebugPage {
  const key = query.get("key") ?? undefined;
  const only = query.get("queue");
  const shown = queues
    .filter(({ label }) => only === null || label === only)
    .map(({ label, pool, history }) => ({
      queue: label,
      ...pool.liveness(),
      history: history?.latest(key).map(describeRecord) ?? [],
    }));
  return { contentType: "application/json", body: `${JSON.stringify(shown, undefined, 2)}\n` };
}
