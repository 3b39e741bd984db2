import { messageOf, throwAll } from "../../pkg/api/errors.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../pkg/client/errors.ts";
import { identityOf, readThenWrite } from "../../pkg/controller/read-live.ts";
import { claimFor, type ClaimsPlan } from "./claims.ts";
import type { StatefulSetContext } from "./context.ts";
import { isOwnershipUpToDate, ownersOf } from "./retention.ts";

/** Creates the claims that the pod lacks. Throws when the pod cannot have all of its claims. */
export async function createClaims(
  context: StatefulSetContext,
  set: StatefulSet,
  pod: Pod,
  plan: ClaimsPlan,
  signal: AbortSignal,
): Promise<void> {
  const problems: unknown[] = plan.leaving.map((name) => new ClaimError(`pvc ${name} is being deleted`));
  for (const template of plan.create) {
    try {
      await createClaim(context, set, pod, claimFor(set, pod, template), signal);
    } catch (error) {
      // In a namespace that is going away there is nothing to be done, nor to be reported.
      if (signal.aborted || isNamespaceTerminating(error)) throw error;
      problems.push(error);
    }
  }
  throwAll(problems);
}

async function createClaim(
  context: StatefulSetContext,
  set: StatefulSet,
  pod: Pod,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<void> {
  const subject = `Create Claim ${claim.metadata.name ?? ""}`;
  const podAndSet = `Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
  try {
    wrote(context, set, await context.claimClient.create(claim, {}, signal));
  } catch (error) {
    if (signal.aborted || isNamespaceTerminating(error)) throw error;
    // One that the cache has yet to show is no news.
    if (!isAlreadyExists(error)) {
      const message = `${subject} for ${podAndSet} failed error: ${messageOf(error)}`;
      context.events.event(set, "Warning", "FailedCreate", message);
    }
    throw new ClaimError(`failed to create PVC ${claim.metadata.name ?? ""}: ${messageOf(error)}`, error);
  }
  context.events.event(set, "Normal", "SuccessfulCreate", `${subject} ${podAndSet} success`);
}

/** Gives the claims the owners that the retention policy asks for. */
export async function reownClaims(
  context: StatefulSetContext,
  set: StatefulSet,
  pod: Pod,
  plan: ClaimsPlan,
  signal: AbortSignal,
): Promise<void> {
  for (const name of plan.conflicting) {
    context.events.event(
      set,
      "Warning",
      "ConflictingController",
      `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, ` +
        "the retention policy is ignored for this claim",
    );
  }
  for (const claim of plan.reown) {
    try {
      await reownClaim(context, set, pod, claim, signal);
    } catch (error) {
      signal.throwIfAborted();
      const name = claim.metadata.name ?? "";
      throw new ClaimError(
        `could not update claim ${name} for delete policy ownerRefs: ${messageOf(error)}`,
        error,
      );
    }
  }
}

/** The cache has only the metadata of claims, so what is written back whole is read first. */
async function reownClaim(
  context: StatefulSetContext,
  set: StatefulSet,
  pod: Pod,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<void> {
  const { claimClient } = context;
  const live = await readThenWrite<PersistentVolumeClaim>(
    {
      client: claimClient,
      identity: identityOf(claim),
      change: (live) => {
        if (isOwnershipUpToDate(live, set, pod)) return undefined;
        return { ...live, metadata: { ...live.metadata, ownerReferences: ownersOf(live, set, pod) } };
      },
      write: async (changed) => claimClient.update(changed, {}, signal),
    },
    signal,
  );
  if (live !== undefined) wrote(context, set, live);
}

function wrote(context: StatefulSetContext, set: StatefulSet, { metadata }: PersistentVolumeClaim): void {
  const { uid = "" } = set.metadata;
  context.consistency?.wroteAt(keyOf(set), uid, resources.persistentVolumeClaims, metadata.resourceVersion);
}

/** Keeps the server's error as its cause, so that it can be told what kind it is. */
export class ClaimError extends Error {
  readonly code = "Claim";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ClaimError";
  }
}

/** Whether a claim was there already that the cache has yet to show. */
export function isUnseenClaim(error: unknown): boolean {
  return error instanceof ClaimError && isAlreadyExists(error.cause);
}
