import { defineController } from "../../pkg/controller/kit.ts";
import { selinuxContext } from "./context.ts";
import { claimRule, driverRule, podRule, volumeRule } from "./handlers.ts";
import { showConflicts } from "./metrics.ts";
import { syncPod } from "./sync.ts";

/** Tells pods that share a volume, and whose SELinux labels would not let them do so on one node. */
export const selinuxWarningController = defineController(
  {
    name: "selinux-warning-controller",
    eventSource: "selinux_warning",
    featureGates: ["SELinuxChangePolicy"],
  },
  (kit) => {
    const context = selinuxContext(kit);
    const { claims, drivers, pods, uses, volumes } = context;
    showConflicts(kit.env.metrics, uses);
    const queue = kit.ownerQueue({
      name: "selinux_warning",
      workers: 1,
      owners: pods,
      wakes: podRule,
      gone: (key) => uses.delete(key),
      sync: async (sync) => syncPod(sync, context),
    });
    claims.wakes(queue, claimRule(context));
    volumes.wakes(queue, volumeRule(context));
    drivers.wakes(queue, driverRule(context));
  },
);
