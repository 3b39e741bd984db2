import { isOnly, messageOf, throwAll } from "../../pkg/api/errors.ts";
import { type ApiObject, keyOf, type Status } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet, StatefulSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { identityOf, readLive, readThenWrite } from "../../pkg/controller/read-live.ts";
import { slowStartBatch, SLOW_START_INITIAL_BATCH } from "../../pkg/controller/slow-start.ts";
import { storageMatches, withStorage } from "./claims.ts";
import type { StatefulSetContext } from "./context.ts";
import { identityMatches, placeOf, withIdentity } from "./identity.ts";
import type { PodStep } from "./replicas.ts";
import { createClaims, isUnseenClaim, reownClaims } from "./sync-claims.ts";

/** One pod that cannot be made or deleted does not hold up the others; when nothing goes well, no more is tried. */
const BURSTS = { largest: 500, failures: 3 };
/** As often a write is tried while others come in between; then the whole sync is. */
const MOST_ATTEMPTS = 5;

/** Takes the steps in order, or in batches that grow while all goes well. Throws what failed. */
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
  const { errors } = await slowStartBatch(steps.length, SLOW_START_INITIAL_BATCH, take, BURSTS);
  signal.throwIfAborted();
  throwAll(errors);
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
      return completeClaims(context, set, step, signal);
  }
}

/**
 * The claims that are there get their owners after the pod is made: whoever refuses that must not keep the pod away. They
 * get them where the pod is refused, too, as they go with the StatefulSet all the same.
 */
async function createPod(
  context: StatefulSetContext,
  set: StatefulSet,
  { pod, claims }: PodStep,
  signal: AbortSignal,
): Promise<void> {
  const errors: unknown[] = [];
  try {
    await createClaims(context, set, pod, claims, signal);
  } catch (error) {
    if (!signal.aborted && !isOnly(error, isUnseenClaim)) tellFailure(context, set, "Create", pod, error);
    throw error;
  }
  try {
    wrote(context, set, await context.podClient.create(pod, {}, signal));
    tellSuccess(context, set, "Create", pod);
  } catch (error) {
    signal.throwIfAborted();
    // A pod of the name is there: one that the cache has yet to show, or another's.
    if (isAlreadyExists(error) || isNamespaceTerminating(error)) throw error;
    tellFailure(context, set, "Create", pod, error);
    errors.push(error);
  }
  try {
    await reownClaims(context, set, pod, claims, signal);
  } catch (error) {
    if (!signal.aborted) tellFailure(context, set, "Update", pod, error);
    errors.push(error);
  }
  throwAll(errors);
}

async function completeClaims(
  context: StatefulSetContext,
  set: StatefulSet,
  { pod, claims }: PodStep,
  signal: AbortSignal,
): Promise<void> {
  await createClaims(context, set, pod, claims, signal);
  try {
    await reownClaims(context, set, pod, claims, signal);
  } catch (error) {
    if (!signal.aborted) tellFailure(context, set, "Update", pod, error);
    throw error;
  }
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

/**
 * The cache has not all of a pod, so what is written back whole is read first. What has the name by then may be another's,
 * or the pod not the StatefulSet's any more: that brings the StatefulSet back to it.
 */
async function correctPod(
  context: StatefulSetContext,
  set: StatefulSet,
  { pod, claims }: PodStep,
  signal: AbortSignal,
): Promise<void> {
  const { podClient } = context;
  let live: Pod | undefined;
  try {
    await createClaims(context, set, pod, claims, signal);
    await reownClaims(context, set, pod, claims, signal);
    live = await retryConflicts(async () =>
      readThenWrite<Pod>(
        {
          client: podClient,
          identity: identityOf(pod),
          change: (live) => (isControlledBy(live, set) ? correctedPod(set, live) : undefined),
          write: async (changed) => podClient.update(changed, {}, signal),
        },
        signal,
      ),
    );
  } catch (error) {
    if (!signal.aborted) tellFailure(context, set, "Update", pod, error);
    throw error;
  }
  if (live === undefined || !isControlledBy(live, set)) return;
  wrote(context, set, live);
  tellSuccess(context, set, "Update", pod);
}

/** Undefined when nothing is wrong with it. */
function correctedPod(set: StatefulSet, pod: Pod): Pod | undefined {
  const named = identityMatches(pod) ? pod : withIdentity(set, pod, placeOf(pod));
  const corrected = storageMatches(set, named) ? named : withStorage(set, named);
  return corrected === pod ? undefined : corrected;
}

/** Writes the status, on top of what the server has by then. */
export async function writeStatus(
  context: StatefulSetContext,
  set: StatefulSet,
  status: StatefulSetStatus,
  signal: AbortSignal,
): Promise<void> {
  let latest = set;
  await retryConflicts(async () => {
    try {
      const updated = await context.setClient.updateStatus({ ...latest, status }, {}, signal);
      context.consistency?.wroteOwner(resources.statefulSets, updated);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const fresh = await readLive(context.setClient, identityOf(set), signal);
      // It is gone, and its status says nothing about another of its name.
      if (fresh === undefined) return;
      latest = fresh;
      throw error;
    }
  });
}

async function retryConflicts<T>(write: () => Promise<T>): Promise<T> {
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
  events.event(set, "Warning", `Failed${verb}`, `${subject} failed error: ${messageOf(error)}`);
}

function wrote(context: StatefulSetContext, set: StatefulSet, { metadata }: ApiObject): void {
  context.consistency?.wroteAt(keyOf(set), set.metadata.uid ?? "", resources.pods, metadata.resourceVersion);
}

/** A deletion is answered with the object, or with a Status once it is gone. */
function isPod(answer: Pod | Status): answer is Pod {
  return answer.kind !== "Status";
}
