import type { Stored } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { evictPod } from "../../pkg/controller/evict-pod.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { DeviceEvictionContext } from "./context.ts";
import type { Eviction } from "./eviction-plan.ts";
import type { CachedPod } from "./fields.ts";

const EVENT = "DeviceTaintManagerEviction";
const MARK = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
};

/** Marks the pod and deletes it. False when it was gone already. */
export async function deletePod(
  sync: OwnerSync<CachedPod>,
  { clock, delays, deletions, events, planned, podWrites }: DeviceEvictionContext,
  { pod, eviction }: { readonly pod: Stored<Pod>; readonly eviction: Eviction },
): Promise<boolean> {
  if (!(await evictPod(sync, podWrites, { pod, mark: MARK, nowMs: clock.nowMs() }))) return false;
  // From now on its end is no reprieve.
  planned.delete(pod.metadata.uid);
  events.event(pod, "Normal", EVENT, "Marking for deletion");
  deletions.inc();
  delays.observe(Math.max(0, clock.nowMs() - eviction.dueMs) / 1_000);
  return true;
}

export function tellOfCancelling(
  { events }: Pick<DeviceEvictionContext, "events">,
  pod: Stored<CachedPod>,
): void {
  events.event(pod, "Normal", EVENT, "Cancelling deletion");
}
