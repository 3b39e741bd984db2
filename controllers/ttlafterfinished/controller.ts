import { keyOf } from "../../pkg/api/object.ts";
import { defineController, type WorkerSettings } from "../../pkg/controller/kit.ts";
import { ttlContext } from "./context.ts";
import { needsCleanup } from "./expiry.ts";
import { cleanUpJob } from "./sync.ts";

/** Deletes Jobs that have finished for as long as their ttlSecondsAfterFinished says. */
export const ttlAfterFinishedController = defineController(
  { name: "ttl-after-finished-controller" },
  (kit, { workers }: WorkerSettings) => {
    const context = ttlContext(kit);
    kit.ownerQueue({
      name: "ttl_jobs_to_delete",
      workers,
      owners: context.jobs,
      wakes: ({ type, object }, wake) => {
        if (type !== "deleted" && needsCleanup(object)) wake(keyOf(object));
      },
      sync: async (sync) => cleanUpJob(sync, context),
    });
  },
);
