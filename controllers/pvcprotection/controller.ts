import { defineController } from "../../pkg/controller/kit.ts";
import { claimProtectionContext } from "./context.ts";
import { claimRule, podRule } from "./handlers.ts";
import { syncClaim } from "./sync.ts";

/** They mostly wait for the same list of pods. */
const WORKERS = 50;

/** Keeps claims that are being deleted for as long as a pod on a node names them. */
export const claimProtectionController = defineController(
  { name: "persistentvolumeclaim-protection-controller", clientName: "pvc-protection-controller" },
  (kit) => {
    const context = claimProtectionContext(kit);
    const { claims, pods } = context;
    const queue = kit.ownerQueue({
      name: "pvcprotection",
      workers: WORKERS,
      owners: claims,
      wakes: claimRule(context),
      sync: async (sync) => syncClaim(sync, context),
    });
    pods.wakes(queue, podRule(context));
  },
);
