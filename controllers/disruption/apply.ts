import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../pkg/api/types/policy-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import type { DisruptionContext } from "./context.ts";
import { withdrawalPatch } from "./stale-condition.ts";
import type { CachedPod } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

/**
 * Writes the status once. A refused write is not repeated on top of what the server has by then: evictions change the
 * status as well, and a count from before an eviction must not be written over it.
 */
export async function writeStatus(
  sync: OwnerSync<PodDisruptionBudget>,
  { writes }: DisruptionContext,
  status: PodDisruptionBudgetStatus,
): Promise<void> {
  await writes.updateStatusUnread(sync, { ...sync.owner, status });
}

/** Says in the pod's status that its disruption did not come. That the pod is gone is no error. */
export async function withdrawDisruption(
  { podClient, clock }: DisruptionContext,
  pod: Stored<CachedPod>,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name } = pod.metadata;
  const body = withdrawalPatch(pod, clock.nowMs());
  try {
    await podClient.patch(
      { namespace, name },
      { type: "strategic", body },
      { subresource: "status" },
      signal,
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
