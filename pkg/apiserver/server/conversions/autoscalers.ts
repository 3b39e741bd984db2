import type { ApiObject } from "../../../api/object.ts";
import { parseJson } from "../../../api/wire-json.ts";
import { asJson, child, isJson, items, type Json, setDefault, stringMap, text } from "../../../api/json.ts";
import type { Draft } from "../../kinds/kind.ts";
import { defaultBehavior } from "../../kinds/policy/autoscaler.ts";
import { normalizeWireForm } from "../../../api/wire-form.ts";
import { deepFreeze } from "../../../api/freeze.ts";
import { copyJson } from "../../../api/json-copy.ts";
import type { Conversion } from "../served-resource.ts";
import { behaviorFromV1, behaviorToV1 } from "./behavior-form.ts";
import { metricSpecFromV1, metricSpecToV1, metricStatusFromV1, metricStatusToV1 } from "./metric-forms.ts";

const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";
const currentMetricsAnnotation = "autoscaling.alpha.kubernetes.io/current-metrics";
const conditionsAnnotation = "autoscaling.alpha.kubernetes.io/conditions";
const ours = [metricsAnnotation, behaviorAnnotation, currentMetricsAnnotation, conditionsAnnotation];
const kind = "HorizontalPodAutoscaler";

/**
 * autoscaling/v1 knows one metric, the CPU; everything else of a v2 autoscaler travels in its annotations. Stored is v2.
 */
export function autoscalerConversion(): Conversion {
  const read = new WeakMap<ApiObject, ApiObject>();
  return {
    toStorage: (draft) => {
      const stored = autoscalerToV2(draft);
      // What is read from where it is stored has the defaults of v2.
      const spec = child(stored, "spec");
      if (spec !== undefined) defaultBehavior(spec);
      return stored;
    },
    fromStorage: (stored) => {
      let shown = read.get(stored);
      if (shown === undefined) {
        shown = deepFreeze(toV1(asJson(stored))) as unknown as ApiObject;
        read.set(stored, shown);
      }
      return shown;
    },
  };
}

function toV1(stored: Json): Json {
  const made = copyJson(stored) as Draft;
  made["apiVersion"] = "autoscaling/v1";
  const spec = child(made, "spec") ?? {};
  const metrics = items(spec, "metrics");
  const cpu = metrics.find(isCpuUtilization);
  const others = metrics.filter((metric) => metric !== cpu).map(metricSpecToV1);
  const target = child(child(cpu, "resource"), "target")?.["averageUtilization"];
  if (target !== undefined) spec["targetCPUUtilizationPercentage"] = target;
  annotate(made, metricsAnnotation, others.length === 0 ? undefined : others);
  const behavior = child(spec, "behavior");
  annotate(made, behaviorAnnotation, behavior && behaviorToV1(behavior));
  delete spec["metrics"];
  delete spec["behavior"];
  const status = child(made, "status");
  if (status !== undefined) statusToV1(made, status);
  normalizeWireForm(made, "autoscaling/v1", kind);
  return made;
}

function statusToV1(made: Draft, status: Json): void {
  const metrics = items(status, "currentMetrics");
  const cpu = metrics.find((metric) => text(child(metric, "resource"), "name") === "cpu");
  const utilization = child(child(cpu, "resource"), "current")?.["averageUtilization"];
  if (utilization !== undefined) status["currentCPUUtilizationPercentage"] = utilization;
  annotate(made, currentMetricsAnnotation, metrics.length === 0 ? undefined : metrics.map(metricStatusToV1));
  annotate(made, conditionsAnnotation, status["conditions"]);
  delete status["currentMetrics"];
  delete status["conditions"];
}

/** upstream: pkg/apis/autoscaling/v1/conversion.go, as only there all metrics are known. */
export function defaultUtilization(draft: Draft): void {
  const spec = child(draft, "spec");
  if (spec !== undefined && listIn(draft, metricsAnnotation).length === 0)
    setDefault(spec, "targetCPUUtilizationPercentage", 80);
}

export function autoscalerToV2(draft: Draft): Draft {
  const made = { ...copyJson(draft), apiVersion: "autoscaling/v2" } as Draft;
  const spec = child(made, "spec") ?? {};
  const metrics = listIn(made, metricsAnnotation).map(metricSpecFromV1);
  const target = spec["targetCPUUtilizationPercentage"];
  // upstream: pkg/apis/autoscaling/v1/conversion.go puts it behind the others.
  if (target !== undefined) metrics.push(cpuMetric(target));
  if (metrics.length > 0) spec["metrics"] = metrics;
  const behavior = behaviorFromV1(valueIn(made, behaviorAnnotation));
  if (behavior !== undefined) spec["behavior"] = behavior;
  const status = child(made, "status");
  if (status !== undefined) metricsFromV1(made, status);
  const conditions = valueIn(made, conditionsAnnotation);
  if (status !== undefined && conditions !== undefined) status["conditions"] = conditions;
  for (const annotation of ours) annotate(made, annotation, undefined);
  normalizeWireForm(made, "autoscaling/v2", kind);
  return made;
}

/** What the annotation says counts; without it there is the one metric that v1 knows. */
function metricsFromV1(made: Draft, status: Json): void {
  const averageUtilization = status["currentCPUUtilizationPercentage"];
  delete status["currentCPUUtilizationPercentage"];
  const told = listIn(made, currentMetricsAnnotation).map(metricStatusFromV1);
  if (told.length > 0) status["currentMetrics"] = told;
  else if (averageUtilization !== undefined)
    status["currentMetrics"] = [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization } } },
    ];
}

function cpuMetric(averageUtilization: unknown): Json {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function isCpuUtilization(metric: Json): boolean {
  const resource = child(metric, "resource");
  return text(resource, "name") === "cpu" && child(resource, "target")?.["averageUtilization"] !== undefined;
}

function annotate(object: Draft, name: string, value: unknown): void {
  const { [name]: _, ...annotations } = stringMap(object.metadata, "annotations");
  const next = value === undefined ? annotations : { ...annotations, [name]: JSON.stringify(value) };
  if (Object.keys(next).length === 0) delete object.metadata["annotations"];
  else object.metadata["annotations"] = next;
}

function valueIn(object: Draft, name: string): unknown {
  const value = stringMap(object.metadata, "annotations")[name];
  if (value === undefined) return undefined;
  try {
    return parseJson(value);
  } catch {
    // upstream: an annotation that cannot be read is dropped.
    return undefined;
  }
}

function listIn(object: Draft, name: string): Json[] {
  const value = valueIn(object, name);
  return Array.isArray(value) ? value.filter(isJson) : [];
}
