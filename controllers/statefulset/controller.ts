import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { itsPodOwner } from "../../pkg/controller/pod-rule.ts";
import { statefulSetContext } from "./context.ts";
import { claimRule } from "./handlers.ts";
import { OWNER_OF_PODS } from "./stateful-set.ts";
import { forgetUnavailability } from "./metrics.ts";
import { syncStatefulSet } from "./sync.ts";

/** Keeps pods with names of their own, and claims that stay with these names. */
export const statefulSetController = defineController(
  { name: "statefulset-controller", eventSource: "statefulset-controller" },
  (kit, { workers }: WorkerSettings) => {
    const context = statefulSetContext(kit);
    const { sets, pods, claims, owned, unavailability } = context;
    const queue = kit.ownerQueue({
      name: "statefulset",
      workers,
      owners: sets,
      gone: (key) => {
        if (unavailability !== undefined) forgetUnavailability(unavailability, key);
      },
      sync: async (sync) => syncStatefulSet(sync, context),
    });
    pods.wakes(queue, owned.rule(itsPodOwner(OWNER_OF_PODS)));
    claims.wakes(queue, claimRule(sets));
  },
);
