import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { deviceEvictionContext } from "./context.ts";
import { claimRule, podRule, ruleRule, ruleStatusRule, sliceRule } from "./handlers.ts";
import { syncPod } from "./sync.ts";
import { syncRule } from "./sync-rule.ts";

/** Upstream has one queue for both: its metrics are those of the two. */
const QUEUE = "device-taint-eviction-controller";

/** Deletes pods that do not tolerate the taints of their devices, or have tolerated them for as long as they may. */
export const deviceTaintEvictionController = defineController(
  { name: QUEUE, eventSource: QUEUE },
  (kit, { workers }: WorkerSettings) => {
    const context = deviceEvictionContext(kit);
    const { claims, ofRules, planned, pods, slices } = context;
    const ruleQueue =
      ofRules &&
      kit.ownerQueue({
        name: QUEUE,
        label: `${QUEUE} (rules)`,
        workers,
        owners: ofRules.rules,
        consistency: ofRules.consistency,
        wakes: ruleStatusRule,
        sync: async (sync) => syncRule(sync, context, ofRules),
      });
    const podQueue = kit.ownerQueue({
      name: QUEUE,
      label: `${QUEUE} (pods)`,
      workers,
      owners: pods,
      consistency: kit.consistency,
      wakes: podRule,
      sync: async (sync) => syncPod(sync, context, ruleQueue),
    });
    pods.hears(({ type, object }) => {
      if (type === "deleted") planned.delete(object.metadata.uid);
    });
    claims.wakes(podQueue, claimRule(context));
    slices.wakes(podQueue, sliceRule(context));
    if (ofRules === undefined) return;
    ofRules.rules.wakes(podQueue, ruleRule(context));
    ofRules.rules.hears(({ type, object }) => {
      if (type === "deleted") ofRules.evicted.delete(object.metadata.uid);
    });
  },
);
