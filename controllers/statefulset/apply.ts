import { type ApiObject, keyOf, type Status } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet, StatefulSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { slowStartBatch, SLOW_START_INITIAL_BATCH } from "../../pkg/reconcile/slow-start.ts";
import { storageMatches, withStorage } from "./claims.ts";
import type { StatefulSetContext } from "./context.ts";
import { identityMatches, placeOf, withIdentity } from "./identity.ts";
import type { PodStep } from "./replicas.ts";
import { createClaims, reownClaims } from "./sync-claims.ts";

/** Requests that a burst sends at a time. */
const LARGEST_BATCH = 500;
/** As often a write is tried while others come in between; then the whole sync is. */
const MOST_ATTEMPTS = 5;

/** Takes the steps in order, or in batches that grow while all goes well. Throws what failed first. */
export async function takeSteps(
  context: StatefulSetContext,
  set: StatefulSet,
  steps: readonly PodStep[],
  order: "in turn" | "in bursts",
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const take = async (index: number): Promise<void> => {
    const step = steps[index];
    if (step === undefined) return;
    log.verbose(2, "Step for a pod", {
      action: step.action,
      pod: step.pod.metadata.name,
      reason: step.reason,
    });
    await takeStep(context, set, step, signal);
  };
  if (order === "in turn") {
    for (const index of steps.keys()) await take(index);
    return;
  }
  const { errors } = await slowStartBatch(steps.length, SLOW_START_INITIAL_BATCH, take, LARGEST_BATCH);
  signal.throwIfAborted();
  if (errors.length > 0) throw errors[0];
}

async function takeStep(
  context: StatefulSetContext,
  set: StatefulSet,
  step: PodStep,
  signal: AbortSignal,
): Promise<void> {
  switch (step.action) {
    case "create":
      return createPod(context, set, step, signal);
    case "delete":
      return deletePod(context, set, step.pod, signal);
    case "correct":
      return correctPod(context, set, step, signal);
    case "claims":
      await createClaims(context, set, step.pod, step.claims, signal);
      return reownClaims(context, set, step.pod, step.claims, signal);
  }
}

async function createPod(
  context: StatefulSetContext,
  set: StatefulSet,
  { pod, claims }: PodStep,
  signal: AbortSignal,
): Promise<void> {
  try {
    await createClaims(context, set, pod, claims, signal);
    await reownClaims(context, set, pod, claims, signal);
    wrote(context, set, await context.podClient.create(pod, {}, signal));
  } catch (error) {
    // A pod of the name is there: one that the cache has yet to show, or another's.
    if (!signal.aborted && !isAlreadyExists(error)) tellFailure(context, set, "Create", pod, error);
    throw error;
  }
  tellSuccess(context, set, "Create", pod);
}

/** Only the very pod that was looked at: another may have its name by now. */
async function deletePod(
  context: StatefulSetContext,
  set: StatefulSet,
  pod: Pod,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name = "", uid } = pod.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  try {
    const answer = await context.podClient.delete({ namespace, name }, preconditions, signal);
    if (isPod(answer)) wrote(context, set, answer);
  } catch (error) {
    // Somebody else was faster, which is not our success.
    if (isNotFound(error)) return;
    // After a conflict the pod may be there still, and nothing else would bring this back to it.
    if (!signal.aborted && !isConflict(error)) tellFailure(context, set, "Delete", pod, error);
    throw error;
  }
  tellSuccess(context, set, "Delete", pod);
}

/** The cache has not all of a pod, so what is written back whole is read first. */
async function correctPod(
  context: StatefulSetContext,
  set: StatefulSet,
  { pod, claims }: PodStep,
  signal: AbortSignal,
): Promise<void> {
  try {
    await createClaims(context, set, pod, claims, signal);
    await reownClaims(context, set, pod, claims, signal);
    await retryConflicts(async () => {
      const { namespace = "", name = "" } = pod.metadata;
      const fresh = await context.podClient.get({ namespace, name }, {}, signal);
      const corrected = correctedPod(set, fresh);
      if (corrected !== fresh) wrote(context, set, await context.podClient.update(corrected, {}, signal));
    });
  } catch (error) {
    if (!signal.aborted) tellFailure(context, set, "Update", pod, error);
    throw error;
  }
  tellSuccess(context, set, "Update", pod);
}

function correctedPod(set: StatefulSet, pod: Pod): Pod {
  const named = identityMatches(pod) ? pod : withIdentity(set, pod, placeOf(pod));
  return storageMatches(set, named) ? named : withStorage(set, named);
}

/** Writes the status, on top of what the server has by then. */
export async function writeStatus(
  context: StatefulSetContext,
  set: StatefulSet,
  status: StatefulSetStatus,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name = "", uid = "" } = set.metadata;
  let latest = set;
  await retryConflicts(async () => {
    try {
      const updated = await context.setClient.updateStatus({ ...latest, status }, {}, signal);
      context.consistency?.wroteOwner(resources.statefulSets, updated);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const fresh = await context.setClient.get({ namespace, name }, {}, signal);
      // The status of one that is gone says nothing about another of its name.
      if (fresh.metadata.uid !== uid) return;
      latest = fresh;
      throw error;
    }
  });
}

async function retryConflicts(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error) || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}

type Verb = "Create" | "Update" | "Delete";

function tellSuccess({ events }: StatefulSetContext, set: StatefulSet, verb: Verb, pod: Pod): void {
  const message = `${verb} Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""} successful`;
  events.event(set, "Normal", `Successful${verb}`, message);
}

function tellFailure(
  { events }: StatefulSetContext,
  set: StatefulSet,
  verb: Verb,
  pod: Pod,
  error: unknown,
): void {
  // In a namespace that is going away every create fails, and so would the event.
  if (isNamespaceTerminating(error)) return;
  const subject = `${verb} Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
  const reason = error instanceof Error ? error.message : String(error);
  events.event(set, "Warning", `Failed${verb}`, `${subject} failed error: ${reason}`);
}

function wrote(context: StatefulSetContext, set: StatefulSet, { metadata }: ApiObject): void {
  context.consistency?.wroteAt(keyOf(set), set.metadata.uid ?? "", resources.pods, metadata.resourceVersion);
}

/** A deletion is answered with the object, or with a Status once it is gone. */
function isPod(answer: Pod | Status): answer is Pod {
  return answer.kind !== "Status";
}
