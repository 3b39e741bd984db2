import type { Int64 } from "../api/int64.ts";
import type { Stored } from "../api/object.ts";
import { podCondition, withPodCondition } from "../api/pod.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import { isGoneOrReplaced } from "./read-live.ts";
import type { RecordedWrites, Writer } from "./recorded-writes.ts";

const DISRUPTION_TARGET = "DisruptionTarget";

export interface Eviction {
  /** As the server has it. */
  readonly pod: Stored<Pod>;
  /** By which its owner can tell why it goes. */
  readonly mark: {
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration?: Int64;
  };
  readonly nowMs: number;
}

/** Marks the pod and deletes it; this very one, and not another of its name. False when it was gone already. */
export async function evictPod(
  writer: Writer,
  writes: Pick<RecordedWrites<Pod>, "patchStatusUnread" | "remove">,
  eviction: Eviction,
): Promise<boolean> {
  const { pod } = eviction;
  try {
    const body = markOf(eviction);
    if (body !== undefined) await writes.patchStatusUnread(writer, pod, { type: "strategic", body });
  } catch (error) {
    if (isGoneOrReplaced(error)) return false;
    throw error;
  }
  return writes.remove(writer, pod);
}

/** The server merges conditions by their type. Undefined when the pod is marked already. */
function markOf({ pod: { metadata, status: before = {} }, mark, nowMs }: Eviction): object | undefined {
  const { uid } = metadata;
  const status = withPodCondition(before, { type: DISRUPTION_TARGET, status: "True", ...mark }, nowMs);
  const condition = podCondition({ status }, DISRUPTION_TARGET);
  return status === before || condition === undefined
    ? undefined
    : { metadata: { uid }, status: { conditions: [condition] } };
}
