import type { Int64 } from "../../pkg/api/int64.ts";
import { isPodTerminal, podCondition, withPodCondition } from "../../pkg/api/pod.ts";
import type { PodStatus } from "../../pkg/api/types/core-v1.gen.ts";
import type { CachedPod, Victim } from "./victims.ts";

const DISRUPTION_TARGET = "DisruptionTarget";

/** A strategic merge patch of a pod's status. The uid makes the server refuse it for another pod of that name. */
export interface FailedStatusPatch {
  readonly metadata: { readonly uid: string };
  readonly status: PodStatus;
}

/**
 * What marks the victim as failed before it is deleted, so that its owner can tell: without a kubelet it would be
 * running to the end. Undefined for a pod that has finished. Only an orphan is told why.
 */
export function failedStatusPatch({ pod, reason }: Victim, nowMs: number): FailedStatusPatch | undefined {
  if (isPodTerminal(pod)) return undefined;
  const { uid, generation = 0 } = pod.metadata;
  return {
    metadata: { uid },
    status: {
      phase: "Failed",
      ...(generation !== 0 && { observedGeneration: generation }),
      ...(reason === "orphaned" && nodeGone(pod, generation, nowMs)),
    },
  };
}

/** The server merges conditions by their type: the others stay as they are. */
function nodeGone(pod: CachedPod, generation: Int64, nowMs: number): PodStatus {
  const status = withPodCondition(
    pod.status ?? {},
    {
      type: DISRUPTION_TARGET,
      status: "True",
      reason: "DeletionByPodGC",
      message: "PodGC: node no longer exists",
      ...(generation !== 0 && { observedGeneration: generation }),
    },
    nowMs,
  );
  const condition = podCondition({ ...pod, status }, DISRUPTION_TARGET);
  return condition === undefined ? {} : { conditions: [condition] };
}
