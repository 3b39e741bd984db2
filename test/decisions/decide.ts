import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { inOneGo } from "../../pkg/api/steps.ts";
import { approximateNumber, milliValueInt64 } from "../../pkg/api/quantity-int64.ts";
import { normalize } from "../../controllers/podautoscaler/normalize.ts";
import type { PodMetric } from "../../controllers/podautoscaler/pod-metrics.ts";
import { requestsOf } from "../../controllers/podautoscaler/pod-requests.ts";
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
} from "../../controllers/podautoscaler/replicas.ts";
import type { Recommendation } from "../../controllers/podautoscaler/recommendations.ts";
import { type ScaleEvent, withScaleEvent } from "../../controllers/podautoscaler/scale-events.ts";
import { type Case, type MetricCase, NOW, type Past, type StepCase } from "./cases.ts";

/** What is decided here, in the form in which the Go program prints it. */
export function decide(c: Case): unknown {
  if (c.Kind === "metric") return decideMetric(c);
  if (c.Kind !== "quantity") return c.Kind === "step" ? decideStep(c) : keepEvent(c);
  const quantity = parseQuantity(c.Text);
  const milli = String(milliValueInt64(quantity));
  // Nothing that is counted in powers of two is ever a share.
  if (quantity.format === "BinarySI") return [milli];
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, approximateNumber(quantity));
  return [milli, bits.getBigUint64(0).toString(16)];
}

function decideMetric(c: MetricCase): unknown {
  const result = proposalOf(c);
  if (isProblem(result)) return result.problem;
  return [String(result.replicas), String(result.utilization ?? 0), String(result.usage)];
}

function proposalOf(c: MetricCase): Proposal | Problem {
  const metrics = new Map<string, PodMetric>(
    Object.entries(c.Metrics).map(([name, { Value, AgoMs, WindowMs }]) => [
      name,
      { value: BigInt(Value), timeMs: NOW - AgoMs, windowMs: WindowMs },
    ]),
  );
  const tolerances = { down: c.Down, up: c.Up };
  const periods = { cpuInitializationPeriodMs: c.CPUInitMs, initialReadinessDelayMs: c.ReadyMs };
  const view: PodView = {
    pods: c.Pods,
    metrics,
    currentReplicas: c.Current,
    tolerances,
    periods,
    nowMs: NOW,
  };
  const target = BigInt(c.Target);
  const values = c.Values.map(BigInt);
  const [usage = 0n] = values;
  const { Status: statusReplicas } = c;
  switch (c.Source) {
    case "utilization":
      return inOneGo(
        replicasForUtilization(view, c.Resource, c.Percent, () =>
          requestsOf(c.Pods, {
            resource: c.Resource,
            ...(c.Container !== "" && { container: c.Container }),
            podLevelResources: true,
          }),
        ),
      );
    case "average":
      return inOneGo(replicasForAverage(view, c.Resource === "cpu", target));
    case "pods":
      return inOneGo(replicasForAverage(view, false, target));
    case "object":
      return replicasForValue(view, usage, target);
    case "objectPerPod":
      return replicasForObjectPerPod({ usage, target, statusReplicas, tolerances });
    case "external":
      return replicasForValue(view, sumOfExternal(values), target);
    case "externalPerPod":
    default:
      return replicasForExternalPerPod({
        usage: sumOfExternalPerPod(values),
        target,
        statusReplicas,
        tolerances,
      });
  }
}

function decideStep(c: StepCase): unknown {
  const { Behavior, Current, Wanted, Minimum, Maximum, WindowMs } = c;
  const { replicas, conditions, recommendations } = normalize(
    Behavior === null ? {} : { behavior: Behavior },
    { current: Current, wanted: Wanted, minimum: Minimum, maximum: Maximum },
    {
      recommendations: c.Recommendations.map(recommended),
      up: c.UpEvents.map(changed),
      down: c.DownEvents.map(changed),
    },
    { windowMs: WindowMs, nowMs: NOW },
  );
  return [
    String(replicas),
    ...conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason} ${message}`),
    ...recommendations.map((each) => String(each.replicas)),
  ];
}

function keepEvent({ Behavior, Current, Wanted, UpEvents, DownEvents }: StepCase): unknown {
  const before = { up: UpEvents.map(changed), down: DownEvents.map(changed) };
  const shown = (events: readonly ScaleEvent[]): readonly string[] =>
    events.map(({ change, outdated }) => `${change}${outdated ? " outdated" : ""}`);
  if (Behavior === null) return [shown(before.up), shown(before.down)];
  const change = Math.abs(Wanted - Current);
  return Wanted > Current
    ? [shown(withScaleEvent(before.up, change, Behavior.scaleUp, NOW)), shown(before.down)]
    : [shown(before.up), shown(withScaleEvent(before.down, change, Behavior.scaleDown, NOW))];
}

function recommended({ Replicas, AgoMs }: Past): Recommendation {
  return { replicas: Replicas, timeMs: NOW - AgoMs };
}

function changed({ Replicas, AgoMs, Outdated = false }: Past): ScaleEvent {
  return { change: Replicas, timeMs: NOW - AgoMs, outdated: Outdated };
}
