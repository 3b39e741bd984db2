import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from "../../pkg/api/types/autoscaling-v2.gen.ts";
import { hasCondition } from "../../pkg/api/conditions.ts";
import { notScaling } from "./conditions.ts";
import type { NewCondition } from "./normalize.ts";

export const OVER_MAXIMUM = "Current number of replicas above Spec.MaxReplicas";
export const BELOW_MINIMUM = "Current number of replicas below Spec.MinReplicas";

/** What is to be done before any metric is looked at. */
export type FirstStep =
  | { readonly kind: "metrics" }
  | { readonly kind: "scale"; readonly replicas: number; readonly reason: string }
  | { readonly kind: "off"; readonly conditions: readonly NewCondition[]; readonly forgetsZero: boolean };

/** What is known of scaling to zero and from it. */
export interface ZeroFacts {
  /** Its feature gate. */
  readonly isEnabled: boolean;
  /** It is this controller that has scaled to zero, and not a user. */
  readonly wasScaled: boolean;
  /** Something can be measured while there are no pods. */
  readonly hasOutsideMetric: boolean;
}

export function zeroFacts(
  { metrics = [] }: Pick<HorizontalPodAutoscalerSpec, "metrics">,
  status: HorizontalPodAutoscalerStatus | undefined,
  isEnabled: boolean,
): ZeroFacts {
  return {
    isEnabled,
    wasScaled: isEnabled && hasCondition(status?.conditions, "ScaledToZero", "True"),
    hasOutsideMetric: metrics.some(({ type }) => type === "Object" || type === "External"),
  };
}

/** A target that a user has scaled to nothing is left alone, and what is out of range goes back to it. */
export function decideFirstStep(
  current: number,
  minimum: number,
  maximum: number,
  zero: ZeroFacts,
): FirstStep {
  if (current === 0) {
    if (zero.wasScaled && (minimum !== 0 || zero.hasOutsideMetric)) return { kind: "metrics" };
    const message = "scaling is disabled since the replica count of the target is zero";
    return {
      kind: "off",
      conditions: [notScaling("ScalingDisabled", message)],
      forgetsZero: !zero.isEnabled,
    };
  }
  if (current > maximum) return { kind: "scale", replicas: maximum, reason: OVER_MAXIMUM };
  if (current < minimum) return { kind: "scale", replicas: minimum, reason: BELOW_MINIMUM };
  return { kind: "metrics" };
}

/** What is told of zero after the target was scaled; undefined: nothing, as nobody scales to it. */
export function conditionOfZero(
  { isEnabled, hasOutsideMetric }: ZeroFacts,
  {
    current,
    wanted,
    minimum,
  }: { readonly current: number; readonly wanted: number; readonly minimum: number },
): NewCondition | undefined {
  if (!isEnabled) return undefined;
  const type = "ScaledToZero";
  if (current > 0 && wanted === 0 && minimum === 0 && hasOutsideMetric) {
    return { type, status: "True", reason: type, message: "the HPA controller scaled the workload to zero" };
  }
  const message = "the HPA controller did not scale the workload to zero";
  return { type, status: "False", reason: "NotScaledToZero", message };
}
