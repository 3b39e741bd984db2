import { SelectorError } from "../../pkg/api/labels.ts";
import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { type ApiObject, keyOf } from "../../pkg/api/object.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import { labelsChanged, managerChanged, managerOf } from "../../pkg/controller/owner-lookup.ts";
import { ownedPods } from "../../pkg/controller/pod-index.ts";
import { ownedReplicaSets } from "../../pkg/controller/replica-set-index.ts";
import type { Priority, WorkQueue } from "../../pkg/workqueue/queue.ts";
import type { DeploymentContext } from "./context.ts";

type Listers = Pick<DeploymentContext, "deployments" | "replicaSets" | "pods">;

export function deploymentHandler(queue: WorkQueue<string>): EventHandler<Deployment> {
  return {
    onAdd: (deployment, inInitialList) => queue.add(keyOf(deployment), inInitialList ? "background" : "live"),
    onUpdate: (before, after) => queue.add(keyOf(after), sameVersion(before, after) ? "background" : "live"),
    onDelete: (deployment) => queue.add(keyOf(deployment)),
  };
}

/** Wakes the Deployment of a ReplicaSet that changed, and for one without owner all that could adopt it. */
export function replicaSetHandler(listers: Listers, queue: WorkQueue<string>): EventHandler<ReplicaSet> {
  const wakeOwner = (replicaSet: ReplicaSet, priority: Priority = "live"): void => {
    const owner = managerOf(listers.deployments, "Deployment", replicaSet);
    if (owner !== undefined) queue.add(keyOf(owner), priority);
  };
  const wakeAdopters = (replicaSet: ReplicaSet, priority: Priority): void => {
    for (const deployment of adoptersOf(listers, replicaSet)) queue.add(keyOf(deployment), priority);
  };
  return {
    onAdd: (replicaSet, inInitialList) => {
      const priority = inInitialList ? "background" : "live";
      const isOrphan = controllerOf(replicaSet) === undefined;
      if (!isOrphan) wakeOwner(replicaSet, priority);
      // Nobody adopts what is being deleted.
      else if (replicaSet.metadata.deletionTimestamp === undefined) wakeAdopters(replicaSet, priority);
    },
    onUpdate: (before, after) => {
      if (sameVersion(before, after)) return;
      const handedOver = managerChanged(before, after);
      if (handedOver) wakeOwner(before);
      if (controllerOf(after) !== undefined) wakeOwner(after);
      else if (handedOver || labelsChanged(before, after)) wakeAdopters(after, "live");
    },
    onDelete: (replicaSet) => wakeOwner(replicaSet),
  };
}

/** A Deployment that recreates waits for the end of its last old pod: nothing else would tell it of that. */
export function podHandler(listers: Listers, queue: WorkQueue<string>): EventHandler<Pod> {
  return {
    onDelete: (pod) => {
      const replicaSet = managerOf(listers.replicaSets, "ReplicaSet", pod);
      const owner = replicaSet && managerOf(listers.deployments, "Deployment", replicaSet);
      if (owner?.spec?.strategy?.type !== "Recreate") return;
      const siblings = ownedReplicaSets(listers.replicaSets, owner);
      const podsLeft = siblings.some((sibling) => ownedPods(listers.pods, sibling, "ReplicaSet").length > 0);
      if (!podsLeft) queue.add(keyOf(owner));
    },
  };
}

function adoptersOf(listers: Listers, replicaSet: ReplicaSet): readonly Deployment[] {
  const { namespace = "", labels = {} } = replicaSet.metadata;
  if (Object.keys(labels).length === 0) return [];
  return listers.deployments.inNamespace(namespace).filter((deployment) => selects(deployment, replicaSet));
}

function selects(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  try {
    const selector = selectorFromSpec(deployment.spec?.selector);
    return !selector.empty && selector.matches(replicaSet.metadata.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

/** A resync: the same object again. */
function sameVersion(before: ApiObject, after: ApiObject): boolean {
  return before.metadata.resourceVersion === after.metadata.resourceVersion;
}
