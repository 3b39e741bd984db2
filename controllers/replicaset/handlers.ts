import { keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { labelsChanged, managerChanged, managerOf } from "../../pkg/reconcile/owner-lookup.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { ReplicaContext } from "./context.ts";
import { minReadySeconds, podSelector, type ReplicaOwner } from "./replica-owner.ts";

type Listening = Pick<ReplicaContext, "owners" | "resource" | "expectations" | "deletions" | "consistency">;

/** Every change of an owner is a reason to look at it; what is known of one that is gone is forgotten. */
export function ownerHandler(context: Listening, queue: WorkQueue<string>): EventHandler<ReplicaOwner> {
  const forget = (owner: ReplicaOwner): void => {
    context.consistency?.clear(keyOf(owner), owner.metadata.uid ?? "");
    context.deletions.delete(owner);
  };
  return {
    onAdd: (owner, inInitialList) => queue.add(keyOf(owner), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      // Deleted and created anew between two looks: what was expected of the first says nothing of the second.
      if (before.metadata.uid !== after.metadata.uid) forget(before);
      const isResync = before.metadata.resourceVersion === after.metadata.resourceVersion;
      queue.add(keyOf(after), isResync ? "background" : "live");
    },
    onDelete: (owner) => {
      forget(owner);
      queue.add(keyOf(owner));
    },
  };
}

/** Wakes the owner of a pod that changed, and for a pod without one all that could adopt it. */
export function podHandler(context: Listening, queue: WorkQueue<string>, log: Logger): EventHandler<Pod> {
  const ownerOf = (pod: Pod): ReplicaOwner | undefined =>
    managerOf(context.owners, context.resource.kind, pod);

  const gone = (pod: Pod): void => {
    const owner = ownerOf(pod);
    if (owner === undefined) return;
    context.deletions.deletionObserved(owner, keyOf(pod));
    queue.add(keyOf(owner));
  };

  const wakeAdopters = (pod: Pod, priority: Priority): void => {
    const adopters = adoptersOf(context, pod);
    if (adopters.length > 1) {
      log.warn("More than one owner selects a pod that nobody manages", {
        pod: keyOf(pod),
        kind: context.resource.kind,
        owners: adopters.map(keyOf),
      });
    }
    for (const owner of adopters) queue.add(keyOf(owner), priority);
  };

  return {
    onAdd: (pod, inInitialList) => {
      // After a restart a pod may be seen for the first time while it is being deleted: no creation to be counted.
      if (pod.metadata.deletionTimestamp !== undefined) return gone(pod);
      const priority = inInitialList ? "background" : "live";
      if (controllerOf(pod) === undefined) return wakeAdopters(pod, priority);
      const owner = ownerOf(pod);
      if (owner === undefined) return;
      context.expectations.creationObserved(owner);
      queue.add(keyOf(owner), priority);
    },
    onUpdate: (before, after) => {
      // A resync: the same version again.
      if (before.metadata.resourceVersion === after.metadata.resourceVersion) return;
      const relabelled = labelsChanged(before, after);
      if (after.metadata.deletionTimestamp !== undefined) {
        // The replacement need not wait until the kubelet has ended the pod.
        gone(after);
        // Taken away and deleted between two looks, it is its former owner that lacks it.
        if (relabelled || managerChanged(before, after)) gone(before);
        return;
      }
      const handedOver = managerChanged(before, after);
      const former = handedOver ? ownerOf(before) : undefined;
      if (former !== undefined) queue.add(keyOf(former));
      if (controllerOf(after) === undefined) {
        if (relabelled || handedOver) wakeAdopters(after, "live");
        return;
      }
      const owner = ownerOf(after);
      if (owner === undefined) return;
      queue.add(keyOf(owner));
      const seconds = minReadySeconds(owner);
      if (seconds > 0 && !isPodReady(before) && isPodReady(after))
        queue.addAfter(keyOf(owner), seconds * 1_000);
    },
    onDelete: gone,
  };
}

/** The owners of the pod's namespace whose selectors match it. */
function adoptersOf(context: Listening, pod: Pod): readonly ReplicaOwner[] {
  if (Object.keys(pod.metadata.labels ?? {}).length === 0) return [];
  return context.owners.inNamespace(pod.metadata.namespace ?? "").filter((owner) => selects(owner, pod));
}

function selects(owner: ReplicaOwner, pod: Pod): boolean {
  try {
    return podSelector(owner).matches(pod.metadata.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}
