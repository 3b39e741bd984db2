import { keyOf } from "../../pkg/api/object.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { poolStatusContext } from "./context.ts";
import { syncRequest } from "./sync.ts";
import { removeExpired } from "./sync-expired.ts";

const CLEANING_PERIOD_MS = 600_000;

/** Says of pools of devices how many there are and how many are taken, to those who ask. */
export const poolStatusController = defineController(
  { name: "resourcepoolstatusrequest-controller", featureGates: ["DRAResourcePoolStatus"] },
  (kit) => {
    const context = poolStatusContext(kit);
    kit.ownerQueue({
      name: "resource_pool_status_requests",
      unmeasured: true,
      workers: 1,
      maxRetries: 5,
      owners: context.requests,
      wakes: onlyWhen(["added", "updated"], ({ object }, wake) => {
        if (object.status === undefined) wake(keyOf(object));
      }),
      sync: async (sync) => syncRequest(sync, context),
    });
    kit.every({
      name: "rounds",
      periodMs: CLEANING_PERIOD_MS,
      round: async (sync) => removeExpired(sync, context),
    });
  },
);
