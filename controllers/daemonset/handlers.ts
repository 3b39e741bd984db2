import { semanticEqual } from "../../pkg/api/equality.ts";
import { SelectorError } from "../../pkg/api/labels.ts";
import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import { isPodReady } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import { labelsChanged, managerChanged, managerOf } from "../../pkg/controller/owner-lookup.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { DaemonContext } from "./context.ts";
import { minReadySeconds, podSelector } from "./daemon-set.ts";
import { daemonSetsOfNode } from "./sync-node.ts";

type Listening = Pick<
  DaemonContext,
  "daemonSets" | "nodes" | "pods" | "fitOf" | "nodeChanges" | "expectations" | "deletions" | "consistency"
>;
type Queue = WorkQueue<string>;

const KIND = resources.daemonSets.kind;

export function daemonSetHandler(context: Listening, queue: Queue): EventHandler<DaemonSet> {
  const forget = (daemonSet: DaemonSet): void => {
    context.consistency?.delete(daemonSet);
    context.deletions.delete(daemonSet);
  };
  return {
    onAdd: (daemonSet, inInitialList) => queue.add(keyOf(daemonSet), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => {
      // Deleted and created anew between two looks: what was expected of the first says nothing of the second.
      if (before.metadata.uid !== after.metadata.uid) forget(before);
      queue.add(keyOf(after), isResync(before, after) ? "background" : "live");
    },
    onDelete: (daemonSet) => {
      forget(daemonSet);
      queue.add(keyOf(daemonSet));
    },
  };
}

/** Wakes the DaemonSet of a pod that changed, and for a pod without one all that could adopt it. */
export function podHandler(context: Listening, queue: Queue): EventHandler<Pod> {
  const gone = (pod: Pod): void => {
    const owner = managerOf(context.daemonSets, KIND, pod);
    if (owner === undefined) return;
    context.deletions.deletionObserved(owner, keyOf(pod));
    queue.add(keyOf(owner));
  };
  return {
    onAdd: (pod, inInitialList) => {
      // After a restart a pod may be seen for the first time while it is being deleted: no creation to be counted.
      if (pod.metadata.deletionTimestamp !== undefined) return gone(pod);
      const priority = inInitialList ? "background" : "live";
      if (controllerOf(pod) === undefined) return wakeAdopters(context, queue, pod, priority);
      const owner = managerOf(context.daemonSets, KIND, pod);
      if (owner === undefined) return;
      context.expectations.creationObserved(owner);
      queue.add(keyOf(owner), priority);
    },
    onUpdate: (before, after) => {
      if (isResync(before, after)) return;
      // A replacement may be due long before the kubelet has ended the pod.
      if (after.metadata.deletionTimestamp !== undefined) return gone(after);
      const owner = ownerAfterChange(context, queue, before, after);
      if (owner === undefined) return;
      const seconds = minReadySeconds(owner);
      // A second more, for clocks that differ a little.
      if (seconds > 0 && !isPodReady(before) && isPodReady(after))
        queue.addAfter(keyOf(owner), (seconds + 1) * 1_000);
    },
    onDelete: gone,
  };
}

/** Wakes the DaemonSet of a revision that changed: whoever deletes or relabels one must not have the last word. */
export function revisionHandler(context: Listening, queue: Queue): EventHandler<ControllerRevision> {
  const gone = (revision: ControllerRevision): void => {
    const owner = managerOf(context.daemonSets, KIND, revision);
    if (owner !== undefined) queue.add(keyOf(owner));
  };
  return {
    onAdd: (revision, inInitialList) => {
      if (revision.metadata.deletionTimestamp !== undefined) return gone(revision);
      // One with an owner is there because the owner made it.
      if (controllerOf(revision) !== undefined) return;
      wakeAdopters(context, queue, revision, inInitialList ? "background" : "live");
    },
    onUpdate: (before, after) => {
      if (!isResync(before, after)) ownerAfterChange(context, queue, before, after);
    },
    onDelete: gone,
  };
}

/**
 * Nodes go through a queue of their own, as one may concern many DaemonSets. Those of the initial list do not: all
 * DaemonSets are looked at then anyway.
 */
export function nodeHandler(
  context: Listening,
  queues: { nodes: Queue; daemonSets: Queue },
): EventHandler<Node> {
  return {
    onAdd: (node, inInitialList) => {
      if (inInitialList) return;
      context.nodeChanges.added(keyOf(node));
      queues.nodes.add(keyOf(node));
    },
    onUpdate: (before, after) => {
      const sameTaints = semanticEqual(before.spec?.taints, after.spec?.taints);
      if (sameTaints && !labelsChanged(before, after)) return;
      context.nodeChanges.changed(keyOf(after), before);
      queues.nodes.add(keyOf(after));
    },
    onDelete: (node) => {
      context.nodeChanges.removed(keyOf(node));
      for (const key of daemonSetsOfNode(node, context)) queues.daemonSets.add(key);
    },
  };
}

/** Wakes the owners that an object had and has; gives the one that it has. Orphans wake those that could adopt them. */
function ownerAfterChange(
  context: Listening,
  queue: Queue,
  before: ApiObject,
  after: ApiObject,
): DaemonSet | undefined {
  const handedOver = managerChanged(before, after);
  const former = handedOver ? managerOf(context.daemonSets, KIND, before) : undefined;
  if (former !== undefined) queue.add(keyOf(former));
  if (controllerOf(after) === undefined) {
    if (handedOver || labelsChanged(before, after)) wakeAdopters(context, queue, after, "live");
    return undefined;
  }
  const owner = managerOf(context.daemonSets, KIND, after);
  if (owner !== undefined) queue.add(keyOf(owner));
  return owner;
}

function wakeAdopters(context: Listening, queue: Queue, orphan: ApiObject, priority: Priority): void {
  const { namespace = "", labels = {} } = orphan.metadata;
  if (Object.keys(labels).length === 0) return;
  for (const daemonSet of context.daemonSets.inNamespace(namespace)) {
    if (selects(daemonSet, labels)) queue.add(keyOf(daemonSet), priority);
  }
}

function selects(daemonSet: DaemonSet, labels: Readonly<Record<string, string>>): boolean {
  try {
    const selector = podSelector(daemonSet);
    return !selector.empty && selector.matches(labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function isResync(before: ApiObject, after: ApiObject): boolean {
  return before.metadata.resourceVersion === after.metadata.resourceVersion;
}
