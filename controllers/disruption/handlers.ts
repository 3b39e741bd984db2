import { keyOf } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { labelsChanged } from "../../pkg/controller/owner-lookup.ts";
import { ambiguityMessage } from "./budget.ts";
import type { DisruptionContext } from "./context.ts";
import { untilStaleMs } from "./stale-condition.ts";

type Covering = Pick<DisruptionContext, "budgets" | "covers" | "events">;

/** Wakes the budgets that cover a pod, or did so before it changed. */
export function coverageRule(context: Covering): WakeRule<Pod> {
  return (change, wake) => {
    const wakeCovering = (pod: Pod): void => {
      for (const budget of coveringBudgets(context, pod)) wake(keyOf(budget));
    };
    wakeCovering(change.object);
    if (change.type === "updated" && labelsChanged(change.before, change.object)) wakeCovering(change.before);
  };
}

/** Wakes a pod whose status announces a disruption, at the time when the announcement is out of date. */
export function announcedRule({ clock }: Pick<DisruptionContext, "clock">): WakeRule<Pod> {
  return (change, wake) => {
    if (change.type === "deleted") return;
    const waitMs = untilStaleMs(change.object, clock.nowMs());
    if (waitMs !== undefined) wake(keyOf(change.object), waitMs);
  };
}

/** The budgets that cover the pod. An event warns of more than one: the eviction API refuses to evict such a pod. */
function coveringBudgets({ budgets, covers, events }: Covering, pod: Pod): readonly PodDisruptionBudget[] {
  const { namespace = "", labels } = pod.metadata;
  const covering = budgets.lister.inNamespace(namespace).filter((budget) => covers(budget, labels));
  const [first] = covering;
  if (first !== undefined && covering.length > 1)
    events.event(pod, "Warning", "MultiplePodDisruptionBudgets", ambiguityMessage(pod, first));
  return covering;
}
