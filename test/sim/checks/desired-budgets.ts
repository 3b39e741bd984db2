import type { IntOrString } from "../../../pkg/api/int-or-string.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodReady } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet, StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget } from "../../../pkg/api/types/policy-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { controllersIn, deploymentsIn, objectsIn, replicaSetsIn } from "../world/objects.ts";
import type { Differences } from "./differences.ts";

type Scaled = Deployment | ReplicaSet | StatefulSet | ReplicationController;

/** What budgets at rest should say. Of pods that nothing scales only numbers can be said. */
export function checkBudgets(found: Differences, store: Store, pods: readonly Pod[]): void {
  const scaled: readonly Scaled[] = [
    ...deploymentsIn(store),
    ...replicaSetsIn(store),
    ...controllersIn(store),
    ...objectsIn<StatefulSet>(store, resources.statefulSets),
  ];
  for (const budget of objectsIn<PodDisruptionBudget>(store, resources.podDisruptionBudgets)) {
    const labels = budget.spec?.selector?.matchLabels ?? {};
    const covered = pods.filter(
      ({ metadata }) =>
        metadata.namespace === budget.metadata.namespace &&
        Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
    );
    checkBudget(found, budget, covered, scaled);
  }
}

function checkBudget(
  found: Differences,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  scaled: readonly Scaled[],
): void {
  const { status, spec, metadata } = budget;
  const { minAvailable, maxUnavailable } = spec ?? {};
  const owners = new Set(pods.map((pod) => topOwner(pod, scaled)));
  const isScaled = maxUnavailable !== undefined || typeof minAvailable === "string";
  if (isScaled && owners.has("unscalable")) {
    found.compare(budget, "status.disruptionsAllowed", status?.disruptionsAllowed, 0);
    return;
  }
  const total = [...owners].reduce(
    (sum, owner) => sum + (typeof owner === "object" ? (owner.spec?.replicas ?? 1) : 0),
    0,
  );
  const expected = isScaled ? total : pods.length;
  const desired =
    maxUnavailable === undefined
      ? amount(minAvailable, expected)
      : Math.max(0, expected - amount(maxUnavailable, expected));
  const healthy = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && isPodReady(pod),
  ).length;
  const allowed = expected === 0 ? 0 : Math.max(0, healthy - desired);
  found.compare(budget, "status.expectedPods", status?.expectedPods, expected);
  found.compare(budget, "status.currentHealthy", status?.currentHealthy, healthy);
  found.compare(budget, "status.desiredHealthy", status?.desiredHealthy, desired);
  found.compare(budget, "status.disruptionsAllowed", status?.disruptionsAllowed, allowed);
  found.compare(budget, "status.disruptedPods", status?.disruptedPods ?? {}, {});
  found.compare(budget, "status.observedGeneration", status?.observedGeneration, metadata.generation);
}

/** A pod that nobody manages counts for nothing; one of a DaemonSet or a Job cannot be counted at all. */
function topOwner(pod: Pod, scaled: readonly Scaled[]): Scaled | "none" | "unscalable" {
  const reference = controllerOf(pod);
  if (reference === undefined) return "none";
  const owner = scaled.find(({ metadata }) => metadata.uid === reference.uid);
  if (owner === undefined) return "unscalable";
  const above = controllerOf(owner);
  return scaled.find(({ metadata }) => metadata.uid === above?.uid) ?? owner;
}

/** Percentages are rounded up. */
function amount(value: IntOrString | undefined, whole: number): number {
  if (typeof value === "number") return value;
  return value === undefined ? 0 : Math.ceil((Number.parseInt(value, 10) * whole) / 100);
}
