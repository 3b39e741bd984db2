import { messageOf } from "../../pkg/api/errors.ts";
import { IntOrStringError } from "../../pkg/api/int-or-string.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import { isConflict } from "../../pkg/client/errors.ts";
import type { OwnerSync, Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { withdrawDisruption, writeStatus } from "./apply.ts";
import { dependsOnScale, type Expected, expectedPods, podSelector } from "./budget.ts";
import type { DisruptionContext } from "./context.ts";
import { decideDisrupted } from "./disrupted-pods.ts";
import { selectorText } from "../../pkg/api/label-selector-text.ts";
import { untilStaleMs } from "./stale-condition.ts";
import { decideStatus, failedStatus, saysFailed } from "./status.ts";
import { totalScale } from "./sync-owners.ts";
import { ScaleError, UnknownKindError } from "./sync-scale.ts";
import type { CachedPod } from "./fields.ts";

type BudgetSync = OwnerSync<PodDisruptionBudget>;

/**
 * How long until the API is asked again for a kind that it did not have. No event tells that a definition was installed
 * after the pods of its objects, as in a restored cluster.
 *
 * upstream: pkg/controller/disruption/disruption.go#sync looks again when one of the pods, or the budget, changes.
 */
const KIND_RECHECK_MS = 60_000;

/** Counts the pods of a budget, and tells how many of them may be evicted. */
export async function syncBudget(sync: BudgetSync, context: DisruptionContext): Promise<SyncResult> {
  const { owner: budget, log, signal } = sync;
  try {
    return await countPods(sync, context);
  } catch (error) {
    signal.throwIfAborted();
    // An eviction has changed the status meanwhile, and its count is newer than this one.
    if (isConflict(error)) throw error;
    log.error(error, "The budget's pods could not be counted: no eviction is allowed");
    const status = failedStatus(budget, messageOf(error), context.clock.nowMs());
    if (status !== undefined) await writeStatus(sync, context, status);
    if (error instanceof UnknownKindError) return { requeueAfterMs: KIND_RECHECK_MS };
    // Only a change of the objects can mend what is wrong with them; a failed request may succeed the next time.
    return isOfObjects(error) ? {} : { backOff: true };
  }
}

async function countPods(sync: BudgetSync, context: DisruptionContext): Promise<SyncResult> {
  const { owner: budget } = sync;
  const { clock, events } = context;
  const pods = podsOf(context, budget);
  const expected = await countExpected(sync, context, pods);
  const nowMs = clock.nowMs();
  const { disrupted, healthy, notDeleted, recheckAfterMs } = decideDisrupted(
    pods,
    budget.status?.disruptedPods,
    nowMs,
  );
  for (const pod of notDeleted) {
    const message = `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`;
    events.event(pod, "Warning", "NotDeleted", message);
  }
  const status = decideStatus({ budget, expected, healthy, disrupted }, nowMs);
  if (status !== undefined) {
    const { disruptionsAllowed, currentHealthy, desiredHealthy } = status;
    sync.decided("The status changes", { disruptionsAllowed, currentHealthy, desiredHealthy });
    await writeStatus(sync, context, status);
  }
  return recheckAfterMs === undefined ? {} : { requeueAfterMs: recheckAfterMs };
}

function podsOf(
  { pods, events }: DisruptionContext,
  budget: Stored<PodDisruptionBudget>,
): readonly Stored<CachedPod>[] {
  try {
    const covered = pods.lister.inNamespace(budget.metadata.namespace, podSelector(budget));
    if (covered.length === 0) events.event(budget, "Normal", "NoPods", "No matching pods found");
    return covered;
  } catch (error) {
    events.event(budget, "Warning", "NoPods", `Failed to get pods: ${messageOf(error)}`);
    throw error;
  }
}

async function countExpected(
  { owner: budget, signal }: BudgetSync,
  context: DisruptionContext,
  pods: readonly Stored<CachedPod>[],
): Promise<Expected> {
  const { events } = context;
  try {
    if (!dependsOnScale(budget.spec)) return expectedPods(budget.spec, pods.length, 0);
    const { replicas, unmanaged } = await totalScale(context, pods, signal);
    const expected = expectedPods(budget.spec, pods.length, replicas);
    if (unmanaged.length > 0) events.event(budget, "Warning", "UnmanagedPods", unmanagedMessage(budget));
    return expected;
  } catch (error) {
    signal.throwIfAborted();
    const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
    if (!(error instanceof UnknownKindError && saysFailed(budget, messageOf(error))))
      events.event(budget, "Warning", "CalculateExpectedPodCountFailed", message);
    throw error;
  }
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorText(spec?.selector)}) were found to be ` +
    "unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined " +
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** Takes back the announcement that a pod is about to be disrupted, when that has not happened for a long time. */
export async function syncStaleDisruption(sync: Sync, context: DisruptionContext): Promise<SyncResult> {
  const pod = context.pods.lister.getByKey(sync.key);
  const waitMs = pod && untilStaleMs(pod, context.clock.nowMs());
  if (pod === undefined || waitMs === undefined) return {};
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  sync.decided("The disruption that the pod announces did not come");
  await withdrawDisruption(context, pod, sync.signal);
  return {};
}

function isOfObjects(error: unknown): boolean {
  return error instanceof SelectorError || error instanceof IntOrStringError || error instanceof ScaleError;
}
