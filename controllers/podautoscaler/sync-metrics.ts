import { messageOf } from "../../pkg/api/errors.ts";
import type { Json } from "../../pkg/api/json.ts";
import { type LabelSelector, SelectorError } from "../../pkg/api/labels.ts";
import { parseLabelSelector } from "../../pkg/api/labels-parse.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { MetricSpec, MetricStatus } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import { referencedOwner } from "../../pkg/controller/owner-lookup.ts";
import { AutoscalerError, type AutoscalerSync, type StatusDraft } from "./apply.ts";
import { combineMetrics, metricFound, type MetricResult } from "./combine.ts";
import { notScaling } from "./conditions.ts";
import type { AutoscalerContext } from "./context.ts";
import { type MetricFacts, shortened } from "./explanation.ts";
import type { CachedPod } from "./fields.ts";
import type { Action } from "./metrics.ts";
import { foreignPods, foreignPodsText } from "./owned-pods.ts";
import { measure, type Measured, type MetricView, type Unmeasured } from "./sync-metric.ts";
import type { Target } from "./sync-target.ts";
import { tolerancesOf } from "./tolerances.ts";

/** What the metrics of an autoscaler ask for; `failure` where not all of them could be had. */
export interface MetricsLook {
  readonly replicas: number | undefined;
  readonly name: string;
  readonly statuses: readonly MetricStatus[];
  readonly facts: readonly MetricFacts[];
  readonly foreign: readonly string[];
  readonly failure?: AutoscalerError;
}

type Pods = readonly Stored<CachedPod>[];

/** Looks at all metrics and says in the status what comes of it. */
export async function lookAtMetrics(
  sync: AutoscalerSync,
  context: AutoscalerContext,
  target: Target,
  draft: StatusDraft,
): Promise<MetricsLook> {
  const selected = await selectPods(sync, context, target, draft);
  if (selected instanceof AutoscalerError)
    return { replicas: undefined, name: "", statuses: [], facts: [], foreign: [], failure: selected };
  const { selector, foreign } = selected;
  const names = foreign.map(({ metadata }) => metadata.name);
  if (names.length > 0) {
    const what = context.settings.ownedPodsOnly ? "left out" : "counted";
    const pods = shortened(names);
    sync.decided(`Pods that the target does not own are ${what}`, { count: names.length, pods });
  }
  const { metrics = [] } = sync.owner.spec;
  const view = viewOf(sync, context, target, selector);
  const statuses: MetricStatus[] = [];
  const facts: MetricFacts[] = [];
  const results: MetricResult[] = [];
  const failed: Unmeasured[] = [];
  for (const metric of metrics) {
    const look = await timed(metric, view, context);
    if ("proposal" in look) {
      const { name, proposal, status } = look;
      results.push({ replicas: proposal.replicas, name });
      statuses.push(status);
      facts.push({ type: metric.type, name, proposal });
      continue;
    }
    const { reason, told, error } = look;
    context.events.event(sync.owner, "Warning", reason, told);
    const condition = notScaling(reason, `the HPA was unable to compute the replica count: ${told}`);
    results.push({ condition, error });
    failed.push(look);
    // upstream: a metric that could not be had leaves an empty place among the statuses.
    statuses.push({ type: "" });
    facts.push({ type: metric.type, name: "", error });
  }
  const combined = combineMetrics(results, view.specReplicas);
  const failure = combined.error === undefined ? undefined : failureOf(combined.error, failed);
  const found = { statuses, facts, foreign: names };
  const more = failure && { failure };
  if ("condition" in combined) {
    draft.say(combined.condition);
    return { replicas: undefined, name: "", ...found, ...more };
  }
  const { message, ...condition } = metricFound(combined.name);
  const note = foreignPodsText(foreign, !context.settings.ownedPodsOnly);
  draft.say({ ...condition, message: message + note });
  return { replicas: combined.replicas, name: combined.name, ...found, ...more };
}

function failureOf(message: string, [first, ...others]: readonly Unmeasured[]): AutoscalerError {
  const causes = [first, ...others].flatMap((each) => (each?.cause === undefined ? [] : [each.cause]));
  return new AutoscalerError(message, "internal", {
    cause: causes.length > 1 ? new AggregateError(causes) : causes[0],
  });
}

/** The selector of the target, if there is one that no other autoscaler's pods are under. */
async function selectPods(
  { owner }: AutoscalerSync,
  context: AutoscalerContext,
  { scale }: Target,
  draft: StatusDraft,
): Promise<{ readonly selector: LabelSelector; readonly foreign: Pods } | AutoscalerError> {
  const { events, pods, selectors, clock } = context;
  const text = scale.status?.selector ?? "";
  const refused = (reason: string, told: string, condition: string, cause?: unknown): AutoscalerError => {
    events.event(owner, "Warning", reason, told);
    draft.say(notScaling(reason === "SelectorRequired" ? "InvalidSelector" : reason, condition));
    return new AutoscalerError(told, "internal", { cause });
  };
  if (text === "") {
    const condition = "the HPA target's scale is missing a selector";
    return refused("SelectorRequired", "selector is required", condition);
  }
  // One object in all turns, by which what it selects is remembered.
  let selector = selectors.known(owner, text);
  try {
    selector ??= parseLabelSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    const told = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
    return refused("InvalidSelector", told, told, error);
  }
  selectors.put(owner, selector);
  const { namespace } = owner.metadata;
  const selected = pods.lister.inNamespace(namespace, selector);
  const others = await runInTurns(clock, selectors.selecting(namespace, selected));
  if (others.length > 1) {
    const told = `pods by selector ${text} are controlled by multiple HPAs: [${others.join(" ")}]`;
    return refused("AmbiguousSelector", told, told);
  }
  return { selector, foreign: await foreignOf(context, selected, scale.metadata.uid) };
}

async function foreignOf(
  { replicaSets, clock }: AutoscalerContext,
  pods: Pods,
  target: string | undefined,
): Promise<Pods> {
  const [first] = pods;
  if (target === undefined || first === undefined) return [];
  const { namespace } = first.metadata;
  const steps = foreignPods(pods, {
    target,
    ownerOfReplicaSet: (reference) => {
      const owner = referencedOwner(replicaSets, "ReplicaSet", namespace, reference);
      return owner && { uid: controllerOf(owner)?.uid };
    },
  });
  return runInTurns(clock, steps);
}

function viewOf(
  { owner, signal }: AutoscalerSync,
  context: AutoscalerContext,
  { scale }: Target,
  selector: LabelSelector,
): MetricView {
  const { pods, apis, settings, gates } = context;
  const { namespace } = owner.metadata;
  let usage: Promise<readonly Json[]> | undefined;
  return {
    autoscaler: owner,
    context,
    specReplicas: scale.spec?.replicas ?? 0,
    statusReplicas: scale.status?.replicas ?? 0,
    selector,
    tolerances: tolerancesOf(owner.spec.behavior, settings.tolerance, gates.ownTolerances),
    pods: async () => {
      const selected = pods.lister.inNamespace(namespace, selector);
      if (!settings.ownedPodsOnly) return selected;
      const foreign = new Set(await foreignOf(context, selected, scale.metadata.uid));
      return selected.filter((pod) => !foreign.has(pod));
    },
    usage: async () => (usage ??= apis.usage(namespace, selector.toString(), signal)),
    signal,
  };
}

async function timed(
  metric: MetricSpec,
  view: MetricView,
  { clock, metrics }: AutoscalerContext,
): Promise<Measured | Unmeasured> {
  const startMs = clock.monotonicMs();
  const look = await measure(metric, view);
  const isMeasured = "proposal" in look;
  const current = view.autoscaler.status?.currentReplicas ?? 0;
  metrics.computed(
    {
      action: isMeasured ? actionOf(current, look.proposal.replicas) : "none",
      error: isMeasured ? "none" : look.isOfSpec === true ? "spec" : "internal",
      metric_type: metric.type,
    },
    clock.monotonicMs() - startMs,
  );
  return look;
}

export function actionOf(before: number, after: number): Action {
  if (after === before) return "none";
  return after > before ? "scale_up" : "scale_down";
}
