import { scaledValue } from "../../pkg/api/int-or-string.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { type LabelSelector, SelectorError } from "../../pkg/api/labels.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../../pkg/api/types/policy-v1.gen.ts";
import type { CachedPod } from "./fields.ts";

/**
 * Throws a SelectorError. A budget without a selector covers no pods, one with an empty selector all of its namespace.
 */
export function podSelector(budget: PodDisruptionBudget): LabelSelector {
  return selectorFromSpec(budget.spec?.selector);
}

/**
 * Tells which labels a budget covers. The selector is read once per version of a budget; one that cannot be read covers
 * nothing.
 */
export function rememberedCoverage(): (
  budget: PodDisruptionBudget,
  labels: Readonly<Record<string, string>> | undefined,
) => boolean {
  const known = new WeakMap<PodDisruptionBudget, LabelSelector | "unreadable">();
  return (budget, labels) => {
    let selector = known.get(budget);
    if (selector === undefined) {
      selector = readable(budget);
      known.set(budget, selector);
    }
    return selector !== "unreadable" && selector.matches(labels);
  };
}

function readable(budget: PodDisruptionBudget): LabelSelector | "unreadable" {
  try {
    return podSelector(budget);
  } catch (error) {
    if (error instanceof SelectorError) return "unreadable";
    throw error;
  }
}

/** Says that several budgets cover a pod, of which upstream would look at the first alone. */
export function ambiguityMessage({ metadata }: CachedPod, first: PodDisruptionBudget): string {
  const pod = `${JSON.stringify(metadata.namespace ?? "")}/${JSON.stringify(metadata.name ?? "")}`;
  return (
    `Pod ${pod} matches multiple PodDisruptionBudgets.  ` +
    `Chose ${JSON.stringify(first.metadata.name)} arbitrarily.`
  );
}

export interface Expected {
  /** How many pods there should be, as far as it matters. */
  readonly pods: number;
  /** How many of them have to be healthy. */
  readonly healthy: number;
}

/** Whether the budget depends on how many pods the owners want, and not only on the pods that exist. */
export function dependsOnScale(spec: PodDisruptionBudgetSpec | undefined): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string";
}

/**
 * `scale` is how many pods their owners want in total. Percentages are rounded up: of 7 pods 30% that may be
 * unavailable are 3, so that 4 must be healthy; 30% that must be available are 3. Throws an IntOrStringError.
 */
export function expectedPods(
  spec: PodDisruptionBudgetSpec | undefined,
  present: number,
  scale: number,
): Expected {
  if (spec?.maxUnavailable !== undefined) {
    const unavailable = scaledValue(spec.maxUnavailable, scale, "up");
    return { pods: scale, healthy: Math.max(0, scale - unavailable) };
  }
  const { minAvailable } = spec ?? {};
  if (minAvailable === undefined) return { pods: 0, healthy: 0 };
  if (typeof minAvailable === "number") return { pods: present, healthy: minAvailable };
  return { pods: scale, healthy: scaledValue(minAvailable, scale, "up") };
}
