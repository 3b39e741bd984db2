import { notScaling } from "./conditions.ts";
import type { NewCondition } from "./normalize.ts";

/** What one metric says. */
export type MetricResult =
  | { readonly replicas: number; readonly name: string }
  | { readonly condition: NewCondition; readonly error: string };

export type Combined =
  | { readonly replicas: number; readonly name: string; readonly error: string | undefined }
  | { readonly condition: NewCondition; readonly error: string };

/**
 * The highest of what the metrics ask for. Where some of them cannot be had, the others may only scale up: a metric that is
 * missing may be the one that needs the pods.
 */
export function combineMetrics(results: readonly MetricResult[], specReplicas: number): Combined {
  let best: { replicas: number; name: string } = { replicas: 0, name: "" };
  let failure: { condition: NewCondition; error: string } | undefined;
  let failures = 0;
  for (const result of results) {
    if ("error" in result) {
      failures++;
      failure ??= result;
    } else if (best.replicas === 0 || result.replicas > best.replicas) best = result;
  }
  if (results.length === 0) return noMetric;
  if (failure === undefined) return { ...best, error: undefined };
  const error = `invalid metrics (${failures} invalid out of ${results.length}), first error is: ${failure.error}`;
  const isHeld = failures >= results.length || best.replicas < specReplicas;
  return isHeld ? { condition: failure.condition, error } : { ...best, error };
}

/** The API server fills one in; to scale to nothing for the want of any would be bad. */
const noMetric = {
  condition: notScaling(
    "InvalidMetricSourceType",
    "the HPA was unable to compute the replica count: no metrics",
  ),
  error: "no metrics",
} as const;

/** All is well: this is the metric that decides. */
export function metricFound(name: string): NewCondition {
  const message = `the HPA was able to successfully calculate a replica count from ${name}`;
  return { type: "ScalingActive", status: "True", reason: "ValidMetricFound", message };
}
