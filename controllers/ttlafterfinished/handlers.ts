import { keyOf } from "../../pkg/api/object.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import { needsCleanup } from "./expiry.ts";

/** Only Jobs that have finished and have a time to live are looked at. */
export function jobHandler(queue: WorkQueue<string>): EventHandler<Job> {
  const enqueue = (job: Job, priority: Priority): void => {
    if (job.metadata.deletionTimestamp === undefined && needsCleanup(job)) queue.add(keyOf(job), priority);
  };
  return {
    onAdd: (job, inInitialList) => enqueue(job, inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      enqueue(after, isResync ? "background" : "live");
    },
  };
}
