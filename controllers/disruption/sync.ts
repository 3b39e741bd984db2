import { messageOf } from "../../pkg/api/errors.ts";
import { IntOrStringError } from "../../pkg/api/int-or-string.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import { isConflict } from "../../pkg/client/errors.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { withdrawDisruption, writeStatus } from "./apply.ts";
import { dependsOnScale, type Expected, expectedPods, podSelector } from "./budget.ts";
import type { DisruptionContext } from "./context.ts";
import { decideDisrupted } from "./disrupted-pods.ts";
import { selectorText } from "./selector-text.ts";
import { untilStaleMs } from "./stale-condition.ts";
import { decideStatus, failedStatus, saysFailed } from "./status.ts";
import { totalScale } from "./sync-owners.ts";
import { ScaleError, UnknownKindError } from "./sync-scale.ts";

/**
 * When a kind is looked for again that the API did not have. Nobody tells of a definition that is installed after its
 * objects' pods: a restored cluster, another cluster's owners.
 *
 * upstream: pkg/controller/disruption/disruption.go#sync looks again when one of the pods, or the budget, changes.
 */
const KIND_RECHECK_MS = 60_000;

/** Counts the pods of a budget, and tells how many of them may be evicted. */
export async function syncBudget(
  key: string,
  context: DisruptionContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const budget = context.budgets.getByKey(key);
  if (budget === undefined) {
    context.consistency.deleteName(key);
    return {};
  }
  try {
    return await countPods(context, budget, signal);
  } catch (error) {
    signal.throwIfAborted();
    // An eviction came in between, whose count is newer than ours.
    if (isConflict(error)) throw error;
    log.error(error, "The budget's pods could not be counted: no eviction is allowed");
    const status = failedStatus(budget, messageOf(error), context.clock.nowMs());
    if (status !== undefined) await writeStatus(context, budget, status, signal);
    if (error instanceof UnknownKindError) return { requeueAfterMs: KIND_RECHECK_MS };
    // What is wrong with the objects has to be changed there; a request that failed may succeed the next time.
    return isOfObjects(error) ? {} : { backOff: true };
  }
}

async function countPods(
  context: DisruptionContext,
  budget: PodDisruptionBudget,
  signal: AbortSignal,
): Promise<SyncResult> {
  const { clock, events } = context;
  const pods = podsOf(context, budget);
  const expected = await countExpected(context, budget, pods, signal);
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
  if (status !== undefined) await writeStatus(context, budget, status, signal);
  return recheckAfterMs === undefined ? {} : { requeueAfterMs: recheckAfterMs };
}

function podsOf({ pods, events }: DisruptionContext, budget: PodDisruptionBudget): readonly Pod[] {
  try {
    const covered = pods.inNamespace(budget.metadata.namespace ?? "", podSelector(budget));
    if (covered.length === 0) events.event(budget, "Normal", "NoPods", "No matching pods found");
    return covered;
  } catch (error) {
    events.event(budget, "Warning", "NoPods", `Failed to get pods: ${messageOf(error)}`);
    throw error;
  }
}

async function countExpected(
  context: DisruptionContext,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  signal: AbortSignal,
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

/** Takes back the word that a pod is about to be disrupted, when it was not for a long time. */
export async function syncStaleDisruption(
  key: string,
  context: DisruptionContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const pod = context.pods.getByKey(key);
  const waitMs = pod && untilStaleMs(pod, context.clock.nowMs());
  if (pod === undefined || waitMs === undefined) return {};
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  await withdrawDisruption(context, pod, signal);
  log.verbose(2, "The pod's disruption did not come: its condition is False now");
  return {};
}

function isOfObjects(error: unknown): boolean {
  return error instanceof SelectorError || error instanceof IntOrStringError || error instanceof ScaleError;
}
