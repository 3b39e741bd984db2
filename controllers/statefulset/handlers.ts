import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { labelsChanged, managerChanged, managerOf } from "../../pkg/controller/owner-lookup.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import { isClaimNameOf } from "./claims.ts";
import type { StatefulSetContext } from "./context.ts";
import { minReadySeconds } from "./stateful-set.ts";

type Listening = Pick<StatefulSetContext, "sets" | "consistency">;

export function setHandler(context: Listening, queue: WorkQueue<string>): EventHandler<StatefulSet> {
  const forget = (set: StatefulSet): void => context.consistency?.delete(set);
  return {
    onAdd: (set, inInitialList) => queue.add(keyOf(set), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      // Deleted and created anew between two looks: what was written for the first says nothing of the second.
      if (before.metadata.uid !== after.metadata.uid) forget(before);
      queue.add(keyOf(after), sameVersion(before, after) ? "background" : "live");
    },
    onDelete: (set) => {
      forget(set);
      queue.add(keyOf(set));
    },
  };
}

/** Wakes the StatefulSet of a pod that changed, and for a pod without one all that could adopt it. */
export function podHandler(context: Listening, queue: WorkQueue<string>, log: Logger): EventHandler<Pod> {
  const ownerOf = (pod: Pod): StatefulSet | undefined => managerOf(context.sets, "StatefulSet", pod);
  const wakeOwner = (pod: Pod, priority: Priority = "live"): void => {
    const owner = ownerOf(pod);
    if (owner !== undefined) queue.add(keyOf(owner), priority);
  };
  const wakeAdopters = (pod: Pod, priority: Priority): void => {
    const adopters = adoptersOf(context, pod);
    if (adopters.length > 1) {
      log.warn("More than one StatefulSet selects a pod that nobody manages", {
        pod: keyOf(pod),
        sets: adopters.map(keyOf),
      });
    }
    for (const set of adopters) queue.add(keyOf(set), priority);
  };
  return {
    onAdd: (pod, inInitialList) => {
      const priority = inInitialList ? "background" : "live";
      if (controllerOf(pod) !== undefined) wakeOwner(pod, priority);
      // Nobody adopts what is being deleted.
      else if (pod.metadata.deletionTimestamp === undefined) wakeAdopters(pod, priority);
    },
    onUpdate: (before, after) => {
      if (sameVersion(before, after)) return;
      const handedOver = managerChanged(before, after);
      if (handedOver) wakeOwner(before);
      if (controllerOf(after) === undefined) {
        if (handedOver || labelsChanged(before, after)) wakeAdopters(after, "live");
        return;
      }
      const owner = ownerOf(after);
      if (owner === undefined) return;
      queue.add(keyOf(owner));
      const seconds = minReadySeconds(owner);
      if (seconds > 0 && !isPodReady(before) && isPodReady(after)) {
        queue.addAfter(keyOf(owner), seconds * 1_000);
      }
    },
    onDelete: (pod) => wakeOwner(pod),
  };
}

/**
 * Wakes those that may wait for a claim of an earlier pod: it goes, or loses an owner that has gone.
 *
 * upstream: pkg/controller/statefulset/stateful_set_control.go#processReplica waits for such claims, too, and is woken by
 * nothing but a pod or the StatefulSet itself.
 */
export function claimHandler(
  { sets }: Listening,
  queue: WorkQueue<string>,
): EventHandler<PersistentVolumeClaim> {
  const wake = ({ metadata }: PersistentVolumeClaim): void => {
    for (const set of sets.inNamespace(metadata.namespace ?? "")) {
      if (isClaimNameOf(set, metadata.name ?? "")) queue.add(keyOf(set));
    }
  };
  const owners = ({ metadata }: PersistentVolumeClaim): number => metadata.ownerReferences?.length ?? 0;
  return {
    onUpdate: (before, after) => {
      if (owners(after) < owners(before)) wake(after);
    },
    onDelete: wake,
  };
}

function adoptersOf({ sets }: Listening, pod: Pod): readonly StatefulSet[] {
  const { namespace = "", labels = {} } = pod.metadata;
  if (Object.keys(labels).length === 0) return [];
  return sets.inNamespace(namespace).filter((set) => selects(set, pod));
}

function selects(set: StatefulSet, pod: Pod): boolean {
  try {
    const selector = selectorFromSpec(set.spec?.selector);
    return !selector.empty && selector.matches(pod.metadata.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** A resync: the same object again. */
function sameVersion(before: ApiObject, after: ApiObject): boolean {
  return before.metadata.resourceVersion === after.metadata.resourceVersion;
}
