import { keyOf } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { ClaimsPlan } from "./claims.ts";
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
  for (const claim of plan.create) {
    try {
      await createClaim(context, set, pod, claim, signal);
    } catch (error) {
      // In a namespace that is going away there is nothing to be done, nor to be reported.
      if (signal.aborted || isNamespaceTerminating(error)) throw error;
      problems.push(error);
    }
  }
  const [first] = problems;
  if (problems.length > 1) throw new AggregateError(problems, `[${problems.map(messageOf).join(", ")}]`);
  if (first !== undefined) throw first;
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
  { metadata: { namespace = "", name = "", uid } }: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<void> {
  let fresh: PersistentVolumeClaim;
  try {
    fresh = await context.claimClient.get({ namespace, name }, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  if (fresh.metadata.uid !== uid || isOwnershipUpToDate(fresh, set, pod)) return;
  const ownerReferences = ownersOf(fresh, set, pod);
  const updated = { ...fresh, metadata: { ...fresh.metadata, ownerReferences } };
  wrote(context, set, await context.claimClient.update(updated, {}, signal));
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
