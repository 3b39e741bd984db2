import { isDeepStrictEqual } from "node:util";
import { selectorFromLabels, type LabelSelector } from "../../../pkg/api/labels.ts";
import { selectorFromSpec } from "../../../pkg/api/label-selector.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodActive, isPodReady } from "../../../pkg/api/pod.ts";
import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { controllersIn, deploymentsIn, jobsIn, ownedBy, podsIn, replicaSetsIn } from "../world/objects.ts";
import { hasBadImage } from "../world/samples.ts";
import { boundsOf } from "./bounds.ts";
import { checkEndpoints } from "./desired-endpoints.ts";
import { checkJobs } from "./desired-jobs.ts";
import { checkLifecycles } from "./desired-lifecycle.ts";
import { checkBudgets } from "./desired-budgets.ts";
import { checkDaemonSets } from "./desired-daemons.ts";
import { checkDevices } from "./desired-devices.ts";
import { checkStatefulSets } from "./desired-stateful.ts";
import { isTracked } from "./job-facts.ts";
import { Differences } from "./differences.ts";

const HASH = "pod-template-hash";
/** Whose pods have checks of their own. */
const OTHERS: ReadonlySet<string> = new Set(["Job", "StatefulSet", "DaemonSet"]);
const REVISION = "deployment.kubernetes.io/revision";

/**
 * In what way a cluster at rest is not what its objects ask for. Written from the API's documentation, without regard
 * for how the controllers get there.
 */
export function differencesFromDesired(store: Store): readonly string[] {
  const pods = podsIn(store);
  const sets = replicaSetsIn(store);
  const deployments = deploymentsIn(store);
  const owners = [...sets, ...controllersIn(store)];
  const found = new Differences();
  // Those that only their Job's finalizer holds are checkJobs' affair.
  const untracked = pods.filter((pod) => !isTracked(pod));
  for (const object of [...untracked, ...owners, ...deployments, ...jobsIn(store)]) {
    if (object.metadata.deletionTimestamp !== undefined) found.add(object, "is still being deleted");
  }
  // Others look after theirs.
  const othersPods = pods.filter((pod) => !OTHERS.has(controllerOf(pod)?.kind ?? ""));
  checkOwnership(found, othersPods, owners, podSelector);
  checkOwnership(found, sets, deployments, ({ spec }) => selectorFromSpec(spec?.selector));
  for (const owner of owners) checkReplicas(found, owner, ownedBy(pods, owner));
  for (const deployment of deployments) checkDeployment(found, deployment, ownedBy(sets, deployment), pods);
  checkJobs(found, jobsIn(store), pods);
  checkStatefulSets(found, store, pods);
  checkDaemonSets(found, store, pods);
  checkEndpoints(found, store, pods);
  checkBudgets(found, store, pods);
  checkLifecycles(found, store);
  checkDevices(found, store);
  return found.lines;
}

function podSelector(owner: ReplicaSet | ReplicationController): LabelSelector {
  return owner.kind === "ReplicationController"
    ? selectorFromLabels((owner as ReplicationController).spec?.selector)
    : selectorFromSpec((owner as ReplicaSet).spec?.selector);
}

/** Whoever has a controller exists and matches it; whoever has none matches nobody. */
function checkOwnership<O extends ApiObject>(
  found: Differences,
  objects: readonly ApiObject[],
  owners: readonly O[],
  selectorOf: (owner: O) => LabelSelector,
): void {
  for (const object of objects) {
    const reference = controllerOf(object);
    const { labels, namespace } = object.metadata;
    if (reference === undefined) {
      if (object.kind === "Pod" && !isPodActive(object)) continue;
      const claimant = owners.find(
        (owner) => owner.metadata.namespace === namespace && selectorOf(owner).matches(labels),
      );
      if (claimant !== undefined) found.add(object, `nobody's, though ${claimant.metadata.name} selects it`);
      continue;
    }
    const owner = owners.find(({ metadata }) => metadata.uid === reference.uid);
    if (owner === undefined) found.add(object, `its owner ${reference.name} does not exist`);
    else if (!(object.kind === "Pod" && !isPodActive(object)) && !selectorOf(owner).matches(labels))
      found.add(object, `is not selected by its owner ${reference.name}`);
  }
}

function checkReplicas(
  found: Differences,
  owner: ReplicaSet | ReplicationController,
  pods: readonly Pod[],
): void {
  const active = pods.filter(isPodActive);
  const status: ReplicaSet["status"] = owner.status;
  const ready = active.filter(isPodReady).length;
  found.compare(owner, "number of active pods", active.length, owner.spec?.replicas);
  found.compare(owner, "status.replicas", status?.replicas, active.length);
  found.compare(owner, "status.readyReplicas", status?.readyReplicas ?? 0, ready);
  found.compare(owner, "status.availableReplicas", status?.availableReplicas ?? 0, ready);
  found.compare(owner, "status.observedGeneration", status?.observedGeneration, owner.metadata.generation);
  for (const { type, status: is } of status?.conditions ?? []) {
    if (type === "ReplicaFailure" && is === "True") found.add(owner, "reports a failure");
  }
}

function checkDeployment(
  found: Differences,
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  pods: readonly Pod[],
): void {
  const { desired, most, least } = boundsOf(deployment);
  const current = sets.filter((set) => sameTemplate(set.spec?.template, deployment.spec?.template));
  const size = (set: ReplicaSet): number => set.spec?.replicas ?? 0;
  const total = sum(sets.map(size));
  const active = (of: readonly ReplicaSet[]): number =>
    sum(of.map((set) => ownedBy(pods, set).filter(isPodActive).length));
  const ready = sum(
    sets.map((set) => ownedBy(pods, set).filter((pod) => isPodActive(pod) && isPodReady(pod)).length),
  );
  const { status } = deployment;
  found.compare(
    deployment,
    "status.observedGeneration",
    status?.observedGeneration,
    deployment.metadata.generation,
  );
  found.compare(deployment, "status.replicas", status?.replicas ?? 0, active(sets));
  found.compare(deployment, "status.readyReplicas", status?.readyReplicas ?? 0, ready);
  found.compare(deployment, "status.availableReplicas", status?.availableReplicas ?? 0, ready);
  found.compare(
    deployment,
    "status.unavailableReplicas",
    status?.unavailableReplicas ?? 0,
    Math.max(0, total - ready),
  );
  const available = status?.conditions?.find(({ type }) => type === "Available")?.status;
  found.compare(deployment, "condition Available", available, ready >= least ? "True" : "False");
  if (deployment.spec?.paused === true) return;

  // One that another of its name had left, and that it could adopt only when it had made one beside it.
  if (current.length > 1 && (status?.collisionCount ?? 0) > 0) return;
  if (current.length !== 1) {
    found.add(deployment, `has ${current.length} ReplicaSets of its template`);
    return;
  }
  found.compare(deployment, "status.updatedReplicas", status?.updatedReplicas ?? 0, active(current));
  // How far a hopeless rollout gets depends on the strategies that it was begun under.
  const owned = sets.flatMap((set) => ownedBy(pods, set));
  if (isHopeless(deployment) || owned.some(waitsForNode)) return;
  if (total > most) found.add(deployment, `its ReplicaSets ask for ${total} pods, more than ${most}`);
  for (const set of sets) found.compare(set, "spec.replicas", size(set), current.includes(set) ? desired : 0);
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  if (sets.length - 1 > limit)
    found.add(deployment, `keeps ${sets.length - 1} old ReplicaSets, more than ${limit}`);
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  found.compare(deployment, "condition Progressing", progressing?.reason, "NewReplicaSetAvailable");
  const revisionOf = (set: ReplicaSet): number => Number(set.metadata.annotations?.[REVISION] ?? 0);
  const revision = Math.max(...current.map(revisionOf));
  const latest = Math.max(0, ...sets.filter((set) => !current.includes(set)).map(revisionOf));
  if (revision <= latest)
    found.add(deployment, `its ReplicaSet has revision ${revision}, an old one has ${latest}`);
  found.compare(deployment, "revision", Number(deployment.metadata.annotations?.[REVISION] ?? 0), revision);
}

/** The nodes are full of pods that nobody owns any more. */
function waitsForNode(pod: Pod): boolean {
  return isPodActive(pod) && !pod.spec?.nodeName;
}

/** Its pods never become ready. */
function isHopeless(deployment: Deployment): boolean {
  return hasBadImage(deployment.spec?.template?.spec);
}

function sameTemplate(one: PodTemplateSpec | undefined, other: PodTemplateSpec | undefined): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(template: PodTemplateSpec | undefined): unknown {
  const { [HASH]: _, ...labels } = template?.metadata?.labels ?? {};
  return JSON.parse(JSON.stringify({ ...template, metadata: { ...template?.metadata, labels } })) as unknown;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
