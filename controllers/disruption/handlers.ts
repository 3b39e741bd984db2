import { keyOf } from "../../pkg/api/object.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../pkg/api/types/policy-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import { labelsChanged } from "../../pkg/controller/owner-lookup.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { DisruptionContext } from "./context.ts";
import { untilStaleMs } from "./stale-condition.ts";

type Listening = Pick<DisruptionContext, "budgets" | "covers" | "consistency" | "events" | "clock">;

export interface DisruptionQueues {
  readonly budgets: WorkQueue<string>;
  /** Pods that say that they are about to be disrupted. */
  readonly announced: WorkQueue<string>;
}

export function budgetHandler(
  { consistency }: Listening,
  queues: Pick<DisruptionQueues, "budgets">,
): EventHandler<PodDisruptionBudget> {
  return {
    onAdd: (budget, inInitialList) =>
      queues.budgets.add(keyOf(budget), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      queues.budgets.add(keyOf(after), isResync ? "background" : "live");
    },
    onDelete: (budget) => consistency.delete(budget),
  };
}

/** Wakes the budgets that cover a pod, or did so before it changed. */
export function podHandler(context: Listening, queues: DisruptionQueues): EventHandler<Pod> {
  const wake = (pod: Pod, priority: Priority): void => {
    const covering = context.budgets
      .inNamespace(pod.metadata.namespace ?? "")
      .filter((budget) => context.covers(budget, pod.metadata.labels));
    const [first] = covering;
    if (first !== undefined && covering.length > 1) {
      const { namespace = "", name = "" } = pod.metadata;
      const message =
        `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  ` +
        `Chose ${JSON.stringify(first.metadata.name)} arbitrarily.`;
      context.events.event(pod, "Warning", "MultiplePodDisruptionBudgets", message);
    }
    for (const budget of covering) queues.budgets.add(keyOf(budget), priority);
  };
  const watchAnnounced = (pod: Pod): void => {
    const waitMs = untilStaleMs(pod, context.clock.nowMs());
    if (waitMs !== undefined) queues.announced.addAfter(keyOf(pod), waitMs);
  };
  return {
    onAdd: (pod, inInitialList) => {
      wake(pod, inInitialList ? "background" : "live");
      watchAnnounced(pod);
    },
    onUpdate: (before, after) => {
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      wake(after, isResync ? "background" : "live");
      if (labelsChanged(before, after)) wake(before, "live");
      watchAnnounced(after);
    },
    onDelete: (pod) => wake(pod, "live"),
  };
}
