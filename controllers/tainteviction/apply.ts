import { keyOf, type Stored } from "../../pkg/api/object.ts";
import { podCondition, withPodCondition } from "../../pkg/api/pod.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isGoneOrReplaced } from "../../pkg/controller/read-live.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { CachedPod } from "./fields.ts";
import type { EvictionContext } from "./context.ts";

const DISRUPTION_TARGET = "DisruptionTarget";
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
  try {
    const body = markOf(pod, clock.nowMs());
    if (body !== undefined) await writes.patchStatusUnread(sync, pod, { type: "strategic", body });
  } catch (error) {
    if (isGoneOrReplaced(error)) return;
    throw error;
  }
  if (!(await writes.remove(sync, pod))) return;
  // From now on its end is no reprieve.
  planned.delete(pod.metadata.uid);
  context.events.event(pod, "Normal", EVENT, `Marking for deletion Pod ${keyOf(pod)}`);
  context.deletions.inc();
  context.delays.observe((clock.monotonicMs() - dueMs) / 1_000);
}

export function tellOfCancelling({ events }: Pick<EvictionContext, "events">, pod: Stored<CachedPod>): void {
  events.event(pod, "Normal", EVENT, `Cancelling deletion of Pod ${keyOf(pod)}`);
}

/** The server merges conditions by their type. Undefined when the pod is marked already. */
function markOf({ metadata, status: before = {} }: Stored<Pod>, nowMs: number): object | undefined {
  const { uid, generation = 0 } = metadata;
  const mark = {
    type: DISRUPTION_TARGET,
    status: "True",
    reason: "DeletionByTaintManager",
    message: "Taint manager: deleting due to NoExecute taint",
    ...(generation !== 0 && { observedGeneration: generation }),
  };
  const status = withPodCondition(before, mark, nowMs);
  const condition = podCondition({ status }, DISRUPTION_TARGET);
  return status === before || condition === undefined
    ? undefined
    : { metadata: { uid }, status: { conditions: [condition] } };
}
