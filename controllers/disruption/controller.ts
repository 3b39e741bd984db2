import { defineController } from "../../pkg/controller/kit.ts";
import { disruptionContext } from "./context.ts";
import { ambiguityListener, announcedRule, coverageRule } from "./handlers.ts";
import { syncBudget, syncStaleDisruption } from "./sync.ts";

/** Tells of every PodDisruptionBudget how many of its pods may be evicted. */
export const disruptionController = defineController(
  { name: "disruption-controller", eventSource: "controllermanager" },
  (kit) => {
    const context = disruptionContext(kit);
    const { budgets, pods } = context;
    const queue = kit.ownerQueue({
      name: "disruption",
      workers: 1,
      owners: budgets,
      sync: async (sync) => {
        const { requeueAfterMs, ...result } = await syncBudget(sync, context);
        if (requeueAfterMs !== undefined) rechecks.addAfter(sync.key, requeueAfterMs);
        return result;
      },
    });
    const rechecks = kit.queue({
      name: "disruption_recheck",
      workers: 1,
      sync: async ({ key }) => {
        queue.addRateLimited(key);
        return {};
      },
    });
    const announced = kit.queue({
      name: "stale_pod_disruption",
      workers: 1,
      sync: async (sync) => syncStaleDisruption(sync, context),
    });
    pods.hears(ambiguityListener(context));
    pods.wakes(queue, coverageRule(context));
    pods.wakes(announced, announcedRule(context));
  },
);
