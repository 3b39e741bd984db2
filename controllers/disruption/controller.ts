import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { disruptionContext } from "./context.ts";
import { announcedRule, coverageRule } from "./handlers.ts";
import { syncBudget, syncStaleDisruption } from "./sync.ts";

const NAME = "disruption-controller";

/** Tells of every PodDisruptionBudget how many of its pods may be evicted. */
export function disruptionController(): ControllerDescriptor {
  return {
    name: NAME,
    clientName: NAME,
    eventSource: "controllermanager",
    build: wired(setUp),
  };
}

function setUp(kit: Kit): void {
  const context = disruptionContext(kit);
  const { budgets, pods, consistency } = context;
  const queue = kit.ownerQueue({
    name: "disruption",
    workers: 1,
    owners: budgets,
    consistency,
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
  pods.wakes(queue, coverageRule(context));
  pods.wakes(announced, announcedRule(context));
}
