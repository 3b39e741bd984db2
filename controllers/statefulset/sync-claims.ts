import { messageOf, throwAll } from "../../pkg/api/errors.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { claimFor, type ClaimsPlan } from "./claims.ts";
import type { StatefulSetContext } from "./context.ts";
import { isOwnershipUpToDate, ownersOf } from "./retention.ts";
import type { CachedPod } from "./fields.ts";
import type { StoredObject } from "../../pkg/api/object.ts";

type Sync = OwnerSync<StatefulSet>;

/** Creates the claims that the pod lacks. Throws when the pod cannot have all of its claims. */
export async function createClaims(
  sync: Sync,
  context: StatefulSetContext,
  pod: CachedPod,
  plan: ClaimsPlan,
): Promise<void> {
  const problems: unknown[] = plan.leaving.map((name) => new ClaimError(`pvc ${name} is being deleted`));
  for (const template of plan.create) {
    try {
      await createClaim(sync, context, pod, claimFor(sync.owner, pod, template));
    } catch (error) {
      // In a terminating namespace nothing can be done, and nothing has to be reported.
      if (sync.signal.aborted || isNamespaceTerminating(error)) throw error;
      problems.push(error);
    }
  }
  throwAll(problems);
}

async function createClaim(
  sync: Sync,
  { claimWrites, events }: StatefulSetContext,
  pod: CachedPod,
  claim: PersistentVolumeClaim,
): Promise<void> {
  const { owner: set, signal } = sync;
  const subject = `Create Claim ${claim.metadata.name ?? ""}`;
  const podAndSet = `Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name}`;
  try {
    await claimWrites.createUnread(sync, claim);
  } catch (error) {
    if (signal.aborted || isNamespaceTerminating(error)) throw error;
    // A claim that the cache has yet to show is not worth an event.
    if (!isAlreadyExists(error)) {
      const message = `${subject} for ${podAndSet} failed error: ${messageOf(error)}`;
      events.event(set, "Warning", "FailedCreate", message);
    }
    throw new ClaimError(`failed to create PVC ${claim.metadata.name ?? ""}: ${messageOf(error)}`, error);
  }
  events.event(set, "Normal", "SuccessfulCreate", `${subject} ${podAndSet} success`);
}

/** Gives the claims the owners that the retention policy asks for. */
export async function reownClaims(
  sync: Sync,
  context: StatefulSetContext,
  pod: CachedPod,
  plan: ClaimsPlan,
): Promise<void> {
  for (const name of plan.conflicting) {
    context.events.event(
      sync.owner,
      "Warning",
      "ConflictingController",
      `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, ` +
        "the retention policy is ignored for this claim",
    );
  }
  for (const claim of plan.reown) {
    try {
      await reownClaim(sync, context, pod, claim);
    } catch (error) {
      sync.signal.throwIfAborted();
      const { name } = claim.metadata;
      throw new ClaimError(
        `could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`,
        error,
      );
    }
  }
}

/** The cache has only the metadata of claims, so the claim is read before it is written back. */
async function reownClaim(
  sync: Sync,
  { claimWrites }: StatefulSetContext,
  pod: CachedPod,
  claim: StoredObject,
): Promise<void> {
  const { owner: set } = sync;
  await claimWrites.change(sync, claim, (live) => {
    if (isOwnershipUpToDate(live, set, pod)) return undefined;
    return { ...live, metadata: { ...live.metadata, ownerReferences: ownersOf(live, set, pod) } };
  });
}

/** Keeps the server's error as its cause, so that callers can tell which error it was. */
export class ClaimError extends Error {
  readonly code = "Claim";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClaimError";
  }
}

/** Whether the claim exists already and the cache has yet to show it. */
export function isUnseenClaim(error: unknown): boolean {
  return error instanceof ClaimError && isAlreadyExists(error.cause);
}
