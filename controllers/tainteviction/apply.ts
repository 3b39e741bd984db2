import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { evictPod } from "../../pkg/controller/evict-pod.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { CachedPod } from "./fields.ts";
import type { EvictionContext } from "./context.ts";

const MARK = {
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
};
const EVENT = "TaintManagerEviction";

interface Victim {
  readonly pod: Stored<Pod>;
  /** When it had to go. */
  readonly dueMs: number;
}

/** Marks the pod, so that its owner can tell why it goes, and deletes it; this very one, and not another of its name. */
export async function deletePod(
  sync: OwnerSync<CachedPod>,
  context: EvictionContext,
  { pod, dueMs }: Victim,
): Promise<void> {
  const { writes, clock, planned } = context;
  const { generation = 0 } = pod.metadata;
  const mark = { ...MARK, ...(generation !== 0 && { observedGeneration: generation }) };
  if (!(await evictPod(sync, writes, { pod, mark, nowMs: clock.nowMs() }))) return;
  // From now on its end is no reprieve.
  planned.delete(pod.metadata.uid);
  context.events.event(pod, "Normal", EVENT, `Marking for deletion Pod ${keyOf(pod)}`);
  context.deletions.inc();
  context.delays.observe((clock.monotonicMs() - dueMs) / 1_000);
}

export function tellOfCancelling({ events }: Pick<EvictionContext, "events">, pod: Stored<CachedPod>): void {
  events.event(pod, "Normal", EVENT, `Cancelling deletion of Pod ${keyOf(pod)}`);
}
