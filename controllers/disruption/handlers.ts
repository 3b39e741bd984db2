import { keyOf } from "../../pkg/api/object.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { labelsChanged } from "../../pkg/controller/owner-lookup.ts";
import { ambiguityMessage } from "./budget.ts";
import type { DisruptionContext } from "./context.ts";
import { untilStaleMs } from "./stale-condition.ts";
import type { CachedPod } from "./fields.ts";

type Covering = Pick<DisruptionContext, "budgets" | "covers">;

/** Wakes the budgets that cover a pod, or did so before it changed. */
export function coverageRule(context: Covering): WakeRule<CachedPod> {
  return (change, wake) => {
    for (const pod of statesOf(change))
      for (const budget of coveringBudgets(context, pod)) wake(keyOf(budget));
  };
}

/** Warns of a pod that more than one budget covers: the eviction API refuses to evict such a pod. */
export function ambiguityListener(context: Covering & Pick<DisruptionContext, "events">) {
  return (change: Change<CachedPod>): void => {
    for (const pod of statesOf(change)) {
      const [first, second] = coveringBudgets(context, pod);
      if (first !== undefined && second !== undefined)
        context.events.event(pod, "Warning", "MultiplePodDisruptionBudgets", ambiguityMessage(pod, first));
    }
  };
}

/** The pod as it is, and as it was if other budgets may have covered it. */
function statesOf(change: Change<CachedPod>): readonly CachedPod[] {
  const { object } = change;
  return change.type === "updated" && labelsChanged(change.before, object)
    ? [object, change.before]
    : [object];
}

/** Wakes a pod whose status announces a disruption, at the time when the announcement is out of date. */
export function announcedRule({ clock }: Pick<DisruptionContext, "clock">): WakeRule<CachedPod> {
  return (change, wake) => {
    if (change.type === "deleted") return;
    const waitMs = untilStaleMs(change.object, clock.nowMs());
    if (waitMs !== undefined) wake(keyOf(change.object), waitMs);
  };
}

function coveringBudgets({ budgets, covers }: Covering, pod: CachedPod): readonly PodDisruptionBudget[] {
  const { namespace = "", labels } = pod.metadata;
  const all = budgets.lister.inNamespace(namespace);
  return all.length === 0 ? all : all.filter((budget) => covers(budget, labels));
}
