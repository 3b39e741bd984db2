import { throwAfter } from "../../pkg/api/errors.ts";
import type { MetricStatus } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { AutoscalerError, type AutoscalerSync, rescale, StatusDraft, writeStatus } from "./apply.ts";
import { scaleFailed } from "./conditions.ts";
import type { AutoscalerContext } from "./context.ts";
import type { Action } from "./metrics.ts";
import { untilNextTurnMs } from "./next-turn.ts";
import { conditionOfZero, zeroFacts } from "./step.ts";
import { decide, type Round } from "./sync-decide.ts";
import { actionOf } from "./sync-metrics.ts";
import { type Target, TargetError, type TargetFault } from "./sync-target.ts";

/** What became of a sync: some metrics may work, by which the target was scaled, while others do not. */
interface Done {
  readonly action: Action;
  readonly failure?: AutoscalerError | undefined;
}

/** Scales the target of an autoscaler as its metrics ask for, and comes back in a period. */
export async function syncAutoscaler(sync: AutoscalerSync, context: AutoscalerContext): Promise<SyncResult> {
  const { clock, metrics, settings } = context;
  const startMs = clock.monotonicMs();
  let done: Done = { action: "none" };
  try {
    done = await scaleTarget(sync, context);
    if (done.failure !== undefined) throw done.failure;
    metrics.synced(done.action, "none", clock.monotonicMs() - startMs);
  } catch (error) {
    const fault = error instanceof AutoscalerError ? error.fault : "internal";
    if (!sync.signal.aborted) metrics.synced(done.action, fault, clock.monotonicMs() - startMs);
    throw error;
  }
  return { requeueAfterMs: untilNextTurnMs(sync.key, settings.syncPeriodMs, clock.monotonicMs()) };
}

async function scaleTarget(sync: AutoscalerSync, context: AutoscalerContext): Promise<Done> {
  const { owner } = sync;
  const { spec, status, metadata } = owner;
  const draft = new StatusDraft(owner, context.clock.nowMs());
  const target = await readTarget(sync, context, draft);
  const current = target.scale.spec?.replicas ?? 0;
  rememberFirst(sync, context, current);
  const zero = zeroFacts(spec, status, context.gates.scaleToZero);
  const round = { target, draft, current, minimum: spec.minReplicas ?? 1, zero };

  const { wanted, reason, look } = await decide(sync, context, round);
  const statuses = look?.statuses ?? [];
  if (wanted === undefined) return giveUp(sync, context, round, { statuses, failure: look?.failure });
  const isRescaled = wanted !== current;
  if (isRescaled) await scaleTo(sync, context, round, { wanted, reason, statuses });
  draft.count({ current, desired: wanted, metrics: statuses, isRescaled });
  context.metrics.wants(metadata.namespace, metadata.name, wanted);
  await writeStatus(sync, context, draft);
  return { action: actionOf(current, wanted), failure: look?.failure };
}

const FAULTS: Readonly<Record<TargetFault, readonly [before: string, fault: "spec" | "internal"]>> = {
  reference: ["invalid API version in scale target reference", "spec"],
  kind: ["unable to determine resource for scale target reference", "internal"],
  scale: ["failed to query scale subresource for", "internal"],
};

async function readTarget(
  sync: AutoscalerSync,
  context: AutoscalerContext,
  draft: StatusDraft,
): Promise<Target> {
  const { owner, signal } = sync;
  let target: Target;
  try {
    target = await context.targets.read(owner, signal);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    context.events.event(owner, "Warning", "FailedGetScale", error.message);
    draft.say(scaleFailed(error.message));
    const [before, fault] = FAULTS[error.fault];
    const what = error.fault === "scale" ? `${before} ${referenceOf(sync)}` : before;
    const failure = new AutoscalerError(`${what}: ${error.message}`, fault, { cause: error });
    return throwAfter(failure, async () => writeStatus(sync, context, draft));
  }
  const message = "the HPA controller was able to get the target's current scale";
  draft.say({ type: "AbleToScale", status: "True", reason: "SucceededGetScale", message });
  return target;
}

/** What there is counts as the first recommendation: nobody scales down at once after a start. */
function rememberFirst(
  { owner }: AutoscalerSync,
  { past, clock }: AutoscalerContext,
  replicas: number,
): void {
  if (past.get(owner) !== undefined) return;
  past.set(owner, { recommendations: [{ replicas, timeMs: clock.monotonicMs() }], up: [], down: [] });
}

interface Given {
  readonly statuses: readonly MetricStatus[];
  readonly failure: AutoscalerError | undefined;
}

/** Nothing is scaled: the metrics do not say to what. */
async function giveUp(
  sync: AutoscalerSync,
  context: AutoscalerContext,
  { draft, current }: Round,
  { statuses, failure }: Given,
): Promise<never> {
  const { owner } = sync;
  const message = failure?.message ?? "no metrics";
  draft.countOnly(current, statuses);
  context.events.event(owner, "Warning", "FailedComputeMetricsReplicas", message);
  const error = `failed to compute desired number of replicas based on listed metrics for ${referenceOf(sync)}: ${message}`;
  return throwAfter(new AutoscalerError(error, "internal", { cause: failure }), async () =>
    writeStatus(sync, context, draft),
  );
}

interface Wanted {
  readonly wanted: number;
  readonly reason: string;
  readonly statuses: readonly MetricStatus[];
}

async function scaleTo(
  sync: AutoscalerSync,
  context: AutoscalerContext,
  { target, draft, current, zero, minimum }: Round,
  { wanted, reason, statuses }: Wanted,
): Promise<void> {
  sync.decided("The target is scaled", { current, wanted, reason });
  const answer = await rescale(sync, context, target, { current, desired: wanted, reason });
  draft.say(answer.condition);
  if (answer.failure !== undefined) {
    draft.countOnly(current, statuses);
    const message = `failed to rescale ${referenceOf(sync)}: ${answer.told}`;
    const failure = new AutoscalerError(message, "internal", { cause: answer.failure });
    return throwAfter(failure, async () => writeStatus(sync, context, draft));
  }
  const ofZero = conditionOfZero(zero, { current, wanted, minimum });
  if (ofZero === undefined) draft.unsay("ScaledToZero");
  else draft.say(ofZero);
}

function referenceOf({ owner: { metadata, spec } }: AutoscalerSync): string {
  return `${spec.scaleTargetRef.kind}/${metadata.namespace}/${spec.scaleTargetRef.name}`;
}
