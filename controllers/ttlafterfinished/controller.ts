import { keyOf } from "../../pkg/api/object.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { ttlContext } from "./context.ts";
import { needsCleanup } from "./expiry.ts";
import { cleanUpJob } from "./sync.ts";

export interface TtlAfterFinishedSettings {
  readonly workers: number;
}

/** Deletes Jobs that have finished for as long as their ttlSecondsAfterFinished says. */
export function ttlAfterFinishedController(settings: TtlAfterFinishedSettings): ControllerDescriptor {
  return {
    name: "ttl-after-finished-controller",
    clientName: "ttl-after-finished-controller",
    build: wired((kit) => setUp(kit, settings)),
  };
}

function setUp(kit: Kit, { workers }: TtlAfterFinishedSettings): void {
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
}
