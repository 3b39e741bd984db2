import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { identityOf, isGone, readThenWrite } from "../../pkg/reconcile/read-live.ts";
import { SLOW_START_INITIAL_BATCH, slowStartBatch } from "../../pkg/reconcile/slow-start.ts";
import type { ReplicaContext } from "./context.ts";
import { podTemplate, type ReplicaOwner, type ReplicaStatus } from "./replica-owner.ts";
import { keyOf } from "../../pkg/api/object.ts";

/** Creates `count` pods in batches that grow while all goes well. Gives what went wrong. */
export async function createPods(
  context: ReplicaContext,
  owner: ReplicaOwner,
  count: number,
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  const reference = newControllerRef(owner, context.resource);
  context.expectations.expectCreations(owner, count);
  const create = async (): Promise<void> => {
    try {
      await context.podControl.create(podTemplate(owner), owner, reference, signal);
    } catch (error) {
      // In a namespace that is going away there is nothing to be done, nor to be reported.
      if (!isNamespaceTerminating(error)) throw error;
    }
  };
  const { successes, errors } = await slowStartBatch(count, SLOW_START_INITIAL_BATCH, create);
  // What was not created will not be seen either.
  context.expectations.lower(owner, count - successes, 0);
  return errors;
}

/** Deletes these pods all at once. Gives what went wrong; a pod that is gone already is no error. */
export async function deletePods(
  context: ReplicaContext,
  owner: ReplicaOwner,
  pods: readonly Pod[],
  signal: AbortSignal,
): Promise<readonly unknown[]> {
  context.deletions.expectDeletions(owner, pods.map(keyOf));
  const errors: unknown[] = [];
  const remove = async (pod: Pod): Promise<void> => {
    try {
      await context.podControl.delete(pod, owner, signal);
    } catch (error) {
      context.deletions.deletionObserved(owner, keyOf(pod));
      if (!isGone(error)) errors.push(error);
    }
  };
  await Promise.all(pods.map(remove));
  return errors;
}

/** Writes the status; after one failure once more, on top of what the server has by then. */
export async function writeStatus(
  context: ReplicaContext,
  owner: ReplicaOwner,
  status: ReplicaStatus,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { client } = context;
  log.verbose(4, "Updating status", {
    replicas: `${owner.status?.replicas ?? 0}->${status.replicas}`,
    ready: `${owner.status?.readyReplicas ?? 0}->${status.readyReplicas ?? 0}`,
    available: `${owner.status?.availableReplicas ?? 0}->${status.availableReplicas ?? 0}`,
  });
  const write = async (changed: ReplicaOwner): Promise<ReplicaOwner> =>
    client.updateStatus(changed, {}, signal);
  const change = (current: ReplicaOwner): ReplicaOwner => ({ ...current, status });
  let updated: ReplicaOwner | undefined;
  try {
    updated = await write(change(owner));
  } catch (error) {
    signal.throwIfAborted();
    log.verbose(4, "The status was refused, trying once more", { error: String(error) });
    updated = await readThenWrite({ client, identity: identityOf(owner), change, write }, signal);
  }
  if (updated !== undefined) context.consistency?.wroteOwner(context.resource, updated);
}
