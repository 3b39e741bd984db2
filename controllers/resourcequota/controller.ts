import { whenSynced } from "../../pkg/controller/caches-ready.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { watchServed } from "../../pkg/controller/monitors.ts";
import { type QuotaContext, quotaContext } from "./context.ts";
import { changedClass, givesRoom, newLimits, tooOldToBeCounted } from "./handlers.ts";
import { fieldsOf } from "./measured.ts";
import { isQuotable } from "./quotable.ts";
import { syncQuota } from "./sync.ts";
import { countAll, countListed, syncChange } from "./sync-changes.ts";

export interface ResourceQuotaSettings {
  /** For each of the two queues. */
  readonly workers: number;
  /** Everything is counted anew so often; 0: never. */
  readonly syncPeriodMs: number;
}

/** Counts what is used of the quotas of every namespace. */
export const resourceQuotaController = defineController(
  { name: "resourcequota-controller" },
  (kit, { workers, syncPeriodMs }: ResourceQuotaSettings) => {
    const base = quotaContext(kit);
    const { quotas, classes, pause, mayUseLess, loweredMs } = base;
    // Nothing is counted before the first look at what there is to count. Classes of devices may never be served.
    const ready = async (signal: AbortSignal): Promise<void> =>
      whenSynced(kit.env.clock, [quotas.synced, pause])(signal);
    const counts = { workers, owners: quotas, ready, gate: pause, remembers: [mayUseLess, loweredMs] };
    const context: QuotaContext = {
      ...base,
      primary: kit.ownerQueue({
        ...counts,
        name: "resourcequota_primary",
        wakes: (change, wake) => newLimits(context, "usual")(change, wake),
        sync: async (sync) => syncQuota(sync, context),
      }),
      urgent: kit.ownerQueue({
        ...counts,
        name: "resourcequota_priority",
        wakes: (change, wake) => newLimits(context, "urgent")(change, wake),
        sync: async (sync) => syncQuota(sync, context),
      }),
      changes: kit.queue({
        name: "resource_quota_controller_resource_changes",
        workers: 1,
        groupOf: ({ namespace }) => namespace,
        ready: async () => undefined,
        sync: async (sync) => syncChange(sync, context),
      }),
      monitors: watchServed(kit, {
        isWanted: isQuotable,
        fieldsOf,
        wire: (objects) => {
          objects.wakes(context.primary, tooOldToBeCounted(objects.resource, context));
          objects.wakes(context.changes, givesRoom(objects.resource, context));
        },
        onChange: (state) => (state === "begins" ? pause.begin() : pause.end()),
        onListed: ({ resource }) => countListed(resource, context),
      }),
    };
    classes.wakes(context.primary, changedClass(context));
    if (syncPeriodMs === 0) return;
    // Those that were there at the start are counted because they are new to the cache.
    const round = async () => countAll(context);
    kit.every({ name: "rounds", periodMs: syncPeriodMs, waitsFirst: true, ready, round });
  },
);
