import { keyOf } from "../../pkg/api/object.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import type { PodGcContext } from "./context.ts";
import { failedStatusPatch } from "./failed-status.ts";
import type { Victim } from "./victims.ts";

/** Deletes all at once; the client's rate limit paces them. A pod that fails is met again in the next round. */
export async function deleteVictims(
  sync: Sync,
  context: PodGcContext,
  victims: readonly Victim[],
): Promise<void> {
  await Promise.all(victims.map(async (victim) => deleteVictim(sync, context, victim)));
}

async function deleteVictim(sync: Sync, context: PodGcContext, victim: Victim): Promise<void> {
  const { log, signal } = sync;
  const { pod, reason } = victim;
  const labels = { namespace: pod.metadata.namespace, reason };
  log.info("Deleting a pod by force", { pod: keyOf(pod), reason, node: pod.spec?.nodeName });
  try {
    await failAndDelete(context, victim, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error(error, "The pod could not be deleted", { pod: keyOf(pod), reason });
    context.failures.inc(labels);
  }
  context.deletions.inc(labels);
}

async function failAndDelete(context: PodGcContext, victim: Victim, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = victim.pod.metadata;
  const ref = { namespace, name };
  const body = failedStatusPatch(victim, context.clock.nowMs());
  try {
    if (body !== undefined) {
      await context.podClient.patch(ref, { type: "strategic", body }, { subresource: "status" }, signal);
    }
    // Without the uid it could hit a pod that has taken the name since the cache was read.
    await context.podClient.delete(ref, { gracePeriodSeconds: 0, preconditions: { uid } }, signal);
  } catch (error) {
    // It is gone already.
    if (!isNotFound(error)) throw error;
  }
}
