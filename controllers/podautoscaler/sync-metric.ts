import type { Json } from "../../pkg/api/json.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { selectorText } from "../../pkg/api/label-selector-text.ts";
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { runInTurns } from "../../pkg/clock/turns.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import type { AutoscalerContext } from "./context.ts";
import type { Steps } from "../../pkg/api/steps.ts";
import type { CachedPod } from "./fields.ts";
import {
  externalName,
  identified,
  milliText,
  resourceName,
  resourceText,
  targetOf,
} from "./metric-values.ts";
import { type PodMetrics, usageOfContainers, usageOfPods, valueOf, valuesOfObjects } from "./pod-metrics.ts";
import { requestsOf } from "./pod-requests.ts";
import {
  isProblem,
  type PodView,
  type Problem,
  type Proposal,
  replicasForAverage,
  replicasForExternalPerPod,
  replicasForObjectPerPod,
  replicasForUtilization,
  replicasForValue,
  sumOfExternal,
  sumOfExternalPerPod,
} from "./replicas.ts";
import { MetricsError } from "./sync-fetch.ts";
import type { Tolerances } from "./tolerances.ts";

/** What all metrics of one autoscaler are looked at with, in one sync. */
export interface MetricView {
  readonly autoscaler: Stored<HorizontalPodAutoscaler>;
  readonly context: Pick<AutoscalerContext, "apis" | "clock" | "settings" | "gates">;
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly selector: LabelSelector;
  readonly tolerances: Tolerances;
  /** Those that count, as the cache has them now. */
  readonly pods: () => Promise<readonly CachedPod[]>;
  /** What they use. Asked for once. */
  readonly usage: () => Promise<readonly Json[]>;
  readonly signal: AbortSignal;
}

/** A metric that was had, and what it asks for. */
export interface Measured {
  readonly name: string;
  readonly proposal: Proposal;
  readonly status: MetricStatus;
}

/** One that was not. The event and the condition say less than the error of the sync. */
export interface Unmeasured {
  readonly reason: string;
  readonly told: string;
  readonly error: string;
  readonly isOfSpec?: true;
  readonly cause?: unknown;
}

/** What could not be asked for, or what came of it. */
type Unasked = Problem & { readonly cause?: unknown };

/** Throws only what stands in the way of all requests. */
export async function measure(metric: MetricSpec, view: MetricView): Promise<Measured | Unmeasured> {
  switch (metric.type) {
    case "Object":
      return measureObject(metric.object, view);
    case "Pods":
      return measurePods(metric.pods, view);
    case "Resource":
      return measureResource(metric.resource, view);
    case "ContainerResource":
      return measureContainer(metric.containerResource, view);
    case "External":
      return measureExternal(metric.external, view);
    default: {
      const told = `unknown metric source type ${JSON.stringify(metric.type)}`;
      return { reason: "InvalidMetricSourceType", told, error: told, isOfSpec: true };
    }
  }
}

async function measureObject(source: MetricSpec["object"], view: MetricView): Promise<Measured | Unmeasured> {
  const failed = failureOf("FailedGetObjectMetric", "failed to get object metric value: ");
  const target = source?.target;
  if (source === undefined || target === undefined || !hasObjectTarget(target))
    return failed("invalid object metric source: neither a value target nor an average value target was set");
  const { describedObject, metric } = source;
  const { namespace } = view.autoscaler.metadata;
  const query = { namespace, metric: metric.name, metricSelector: metric.selector };
  // upstream: the message has its arguments in another order than its words.
  const blame = `unable to get metric ${metric.name}: ${describedObject.kind} on ${namespace} ${describedObject.name}/`;
  const { apis } = view.context;
  const fetched = await asked(blame, async () =>
    valueOf(await apis.ofObject(query, describedObject, view.signal)),
  );
  const told = (current: MetricStatus["object"] extends (infer S) | undefined ? S : never): MetricStatus => ({
    type: "Object",
    object: current,
  });
  const shown = { describedObject, metric: identified(metric) };
  if (target.type === "Value" && target.value !== undefined) {
    const proposal = isProblem(fetched)
      ? fetched
      : replicasForValue(
          { pods: await view.pods(), currentReplicas: view.specReplicas, tolerances: view.tolerances },
          fetched.value,
          targetOf(target.value),
        );
    if (isProblem(proposal)) return failed(proposal);
    const status = told({ ...shown, current: { value: milliText(proposal.usage) } });
    return { name: `${describedObject.kind} metric ${metric.name}`, proposal, status };
  }
  if (isProblem(fetched)) return failed(fetched, `failed to get ${metric.name} object metric: `);
  const proposal = replicasForObjectPerPod({
    usage: fetched.value,
    target: targetOf(target.averageValue ?? "0"),
    statusReplicas: view.statusReplicas,
    tolerances: view.tolerances,
  });
  const status = told({ ...shown, current: { averageValue: milliText(proposal.usage) } });
  return { name: externalName(metric), proposal, status };
}

async function measurePods(source: MetricSpec["pods"], view: MetricView): Promise<Measured | Unmeasured> {
  const failed = failureOf("FailedGetPodsMetric", "failed to get pods metric value: ");
  if (source === undefined) return failed("invalid pods metric source");
  const { metric, target } = source;
  const { namespace } = view.autoscaler.metadata;
  const query = { namespace, metric: metric.name, metricSelector: metric.selector };
  const fetched = await asked(`unable to get metric ${metric.name}: `, async () =>
    inTurns(
      view,
      valuesOfObjects(await view.context.apis.ofPods(query, view.selector.toString(), view.signal)),
    ),
  );
  if (isProblem(fetched)) return failed(fetched);
  const proposal = await inTurns(
    view,
    replicasForAverage(await podView(view, fetched.value), false, targetOf(target.averageValue ?? "0")),
  );
  if (isProblem(proposal)) return failed(proposal);
  const current = { averageValue: milliText(proposal.usage) };
  const status = { type: "Pods", pods: { metric: identified(metric), current } };
  return { name: `pods metric ${metric.name}`, proposal, status };
}

async function measureResource(
  source: MetricSpec["resource"],
  view: MetricView,
): Promise<Measured | Unmeasured> {
  const name = source?.name ?? "";
  const failed = failureOf("FailedGetResourceMetric", `failed to get ${name} resource metric value: `);
  const measured = await measureUsage({ name, target: source?.target }, view);
  if ("problem" in measured) return failed(measured);
  const { current, ...rest } = measured;
  return { ...rest, status: { type: "Resource", resource: { name, current } } };
}

async function measureContainer(
  source: MetricSpec["containerResource"],
  view: MetricView,
): Promise<Measured | Unmeasured> {
  const { name = "", container = "" } = source ?? {};
  const before = `failed to get ${container} container metric value: `;
  const failed = failureOf("FailedGetContainerResourceMetric", before);
  const measured = await measureUsage({ name, container, target: source?.target }, view);
  if ("problem" in measured) return failed(measured);
  const { current, ...rest } = measured;
  const status = { type: "ContainerResource", containerResource: { name, container, current } };
  return { ...rest, status };
}

interface UsageSource {
  readonly name: string;
  readonly container?: string;
  readonly target: MetricTarget | undefined;
}

type Used = Omit<Measured, "status"> & {
  readonly current: { readonly averageUtilization?: number; readonly averageValue: string };
};

async function measureUsage(
  { name: resource, container, target }: UsageSource,
  view: MetricView,
): Promise<Used | Unasked> {
  const { averageValue, averageUtilization } = target ?? {};
  if (target === undefined || (averageValue === undefined && averageUtilization === undefined)) {
    const what = "an average utilization target nor an average value (usage) target was set";
    return { problem: `invalid resource metric source: neither ${what}` };
  }
  const isRaw = averageValue !== undefined;
  const blame = `failed to get ${resource} ${isRaw ? "usage" : "utilization"}: `;
  const fetched = await asked(`unable to get metrics for resource ${resource}: `, async () => {
    const list = await view.usage();
    const usage =
      container === undefined ? usageOfPods(list, resource) : usageOfContainers(list, resource, container);
    return inTurns(view, usage);
  });
  if (isProblem(fetched)) return { ...fetched, problem: blame + fetched.problem };
  const pods = await podView(view, fetched.value);
  const { podLevelResources } = view.context.gates;
  const steps = isRaw
    ? replicasForAverage(pods, resource === "cpu", targetOf(averageValue))
    : replicasForUtilization(pods, resource, averageUtilization ?? 0, () =>
        requestsOf(pods.pods, { resource, container, podLevelResources }),
      );
  const proposal = await inTurns(view, steps);
  if (isProblem(proposal)) return { problem: blame + proposal.problem };
  const { utilization, usage } = proposal;
  const current = {
    ...(utilization !== undefined && { averageUtilization: utilization }),
    averageValue: resourceText(resource, usage),
  };
  return { name: resourceName(resource, target, container !== undefined), proposal, current };
}

async function measureExternal(
  source: MetricSpec["external"],
  view: MetricView,
): Promise<Measured | Unmeasured> {
  const name = source?.metric.name ?? "";
  const failed = failureOf("FailedGetExternalMetric", `failed to get ${name} external metric value: `);
  const { value, averageValue } = source?.target ?? {};
  if (source === undefined || (value === undefined && averageValue === undefined))
    return failed(
      "invalid external metric source: neither a value target nor an average value target was set",
    );
  const { metric } = source;
  const { namespace } = view.autoscaler.metadata;
  const blame = `unable to get external metric ${namespace}/${name}/${selectorText(metric.selector)}: `;
  const { apis } = view.context;
  const fetched = await asked(blame, async () =>
    (await apis.external(namespace, name, metric.selector, view.signal)).map(valueOf),
  );
  const { tolerances, specReplicas, statusReplicas } = view;
  const shown = (current: { averageValue: string } | { value: string }): MetricStatus => ({
    type: "External",
    external: { metric: identified(metric), current },
  });
  if (averageValue !== undefined) {
    if (isProblem(fetched)) return failed(fetched, `failed to get ${name} external metric: `);
    const usage = sumOfExternalPerPod(fetched.value);
    const shared = { usage, target: targetOf(averageValue), statusReplicas, tolerances };
    const proposal = replicasForExternalPerPod(shared);
    const status = shown({ averageValue: milliText(proposal.usage) });
    return { name: externalName(metric), proposal, status };
  }
  const before = `failed to get external metric ${name}: `;
  if (isProblem(fetched)) return failed(fetched, before);
  const pods = { pods: await view.pods(), currentReplicas: specReplicas, tolerances };
  const proposal = replicasForValue(pods, sumOfExternal(fetched.value), targetOf(value ?? "0"));
  if (isProblem(proposal)) return failed(proposal, before);
  const status = shown({ value: milliText(proposal.usage) });
  return { name: externalName(metric), proposal, status };
}

function hasObjectTarget({ type, value, averageValue }: MetricTarget): boolean {
  if (type === "Value") return value !== undefined;
  return type === "AverageValue" && averageValue !== undefined;
}

/** What is worked out of thousands of pods holds nobody up. */
async function inTurns<R>({ context }: MetricView, steps: Steps<R>): Promise<R> {
  return runInTurns(context.clock, steps);
}

async function podView(
  { context, specReplicas, tolerances, pods: selected }: MetricView,
  metrics: PodMetrics,
): Promise<PodView> {
  const pods = await selected();
  const nowMs = context.clock.nowMs();
  const { settings: periods } = context;
  return { pods, metrics, currentReplicas: specReplicas, tolerances, periods, nowMs };
}

/** What was fetched, or why that could not be done. */
async function asked<T>(
  blame: string,
  fetch: () => Promise<T>,
): Promise<{ readonly value: T } | (Problem & { readonly cause: unknown })> {
  try {
    return { value: await fetch() };
  } catch (error) {
    if (error instanceof MetricsError) return { problem: blame + error.message, cause: error };
    // What is wrong with the metric's own selector is told without more words.
    if (error instanceof SelectorError) return { problem: error.message, cause: error };
    throw error;
  }
}

function failureOf(reason: string, before: string) {
  return (what: string | Unasked, between = ""): Unmeasured => {
    const { problem, cause }: Unasked = typeof what === "string" ? { problem: what } : what;
    const error = `${before}${between}${problem}`;
    return { reason, told: problem, error, ...(cause !== undefined && { cause }) };
  };
}
