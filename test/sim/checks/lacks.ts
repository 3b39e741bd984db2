import { isJobFinished, isJobSuspended } from "../../../pkg/api/job.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { isPodActive, isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { DaemonSet, StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { controllersIn, jobsIn, objectsIn, ownedBy, podsIn, replicaSetsIn } from "../world/objects.ts";
import { isFor, mayStay, nodeOf } from "./daemon-facts.ts";
import { isHealthy, isOfTemplate, isUpdatable, ordinalOf, ordinalsOf } from "./stateful-facts.ts";

/** What is not as it should be right now, and may be so for a moment only. */
export interface Lack {
  /** Changes with whatever changes it: a new key is a new start. */
  readonly key: string;
  readonly text: string;
  /** How long it may be so at least: managers' clocks may be far from those that pods became ready by, and jump. */
  readonly patienceMs?: number;
}

const stays = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp === undefined;
const versionOf = ({ metadata }: ApiObject): string => `${metadata.uid} ${metadata.generation}`;
const uidsOf = (pods: readonly Pod[]): string => pods.map(({ metadata }) => metadata.uid).join(" ");

/** Ten minutes after the last failure by the node's clock, which may be far ahead of the manager's. */
const LONGEST_BACKOFF_MS = 900_000;

/** Those that wait until pods have been ready for a while read the time off their clocks. */
function patienceMs({ spec }: StatefulSet | DaemonSet): number {
  return (spec?.minReadySeconds ?? 0) > 0 ? 600_000 : 150_000;
}

/** ReplicaSets and ReplicationControllers that have not as many pods as they ask for. */
export function lackingWorkloads(store: Store, limited: ReadonlySet<string>): readonly Lack[] {
  const pods = podsIn(store);
  return [...replicaSetsIn(store), ...controllersIn(store)].filter(stays).flatMap((owner) => {
    const active = ownedBy(pods, owner).filter(isPodActive).length;
    if (active === owner.spec?.replicas || limited.has(owner.metadata.namespace ?? "")) return [];
    const text = `${owner.metadata.name} has ${active} pods and asks for ${owner.spec?.replicas}`;
    return [{ key: versionOf(owner), text }];
  });
}

/** Jobs that are suspended or have ended run nothing. */
export function runningJobs(store: Store): readonly Lack[] {
  const pods = podsIn(store);
  return jobsIn(store)
    .filter((job) => isJobSuspended(job) || isJobFinished(job))
    .filter((job) => ownedBy(pods, job).some(isPodActive))
    .map((job) => ({ key: versionOf(job), text: `${job.metadata.name} runs, though it is to stop` }));
}

/** Jobs that are to run and have never had a pod. */
export function idleJobs(store: Store, limited: ReadonlySet<string>): readonly Lack[] {
  const pods = podsIn(store);
  return jobsIn(store)
    .filter((job) => stays(job) && !isJobFinished(job) && !isJobSuspended(job) && job.spec?.parallelism !== 0)
    .filter(({ status = {} }) => (status.failed ?? 0) + (status.succeeded ?? 0) + (status.active ?? 0) === 0)
    .filter((job) => !limited.has(job.metadata.namespace ?? "") && ownedBy(pods, job).length === 0)
    .map((job) => {
      const lack = { key: versionOf(job), text: `${job.metadata.name} has no pods` };
      return ignoresFailures(job) ? { ...lack, patienceMs: LONGEST_BACKOFF_MS } : lack;
    });
}

/** Pods of such a Job may have failed, and its next ones wait for it, though its status counts none. */
const ignoresFailures = ({ spec }: Job): boolean =>
  spec?.podFailurePolicy?.rules.some(({ action }) => action === "Ignore") ?? false;

/** StatefulSets, by uid, that others have taken a name from: they try again ever more seldom, also when it is free. */
export function refusedStatefulSets(store: Store): readonly string[] {
  const pods = podsIn(store);
  return objectsIn<StatefulSet>(store, resources.statefulSets)
    .filter((set) => {
      const { name, namespace, uid } = set.metadata;
      const names = new Set(ordinalsOf(set).map((ordinal) => `${name}-${ordinal}`));
      return pods.some(
        (pod) =>
          pod.metadata.namespace === namespace &&
          names.has(pod.metadata.name ?? "") &&
          controllerOf(pod)?.uid !== uid,
      );
    })
    .map(({ metadata }) => metadata.uid ?? "");
}

/** StatefulSets all of whose pods are at rest, and that have others to create, delete or update. */
export function lackingStatefulSets(
  store: Store,
  limited: ReadonlySet<string>,
  refused: ReadonlySet<string>,
): readonly Lack[] {
  const pods = podsIn(store);
  const leaving = new Set(
    objectsIn(store, resources.persistentVolumeClaims)
      .filter((claim) => !stays(claim))
      .map(({ metadata }) => metadata.namespace),
  );
  return objectsIn<StatefulSet>(store, resources.statefulSets)
    .filter((set) => stays(set) && !refused.has(set.metadata.uid ?? ""))
    .flatMap((set) => {
      const { name, namespace = "" } = set.metadata;
      const mine = ownedBy(pods, set);
      const asked = ordinalsOf(set);
      const isAtRest = mine.every((pod) => stays(pod) && (isHealthy(pod) || isPodTerminal(pod)));
      if (!isAtRest || leaving.has(namespace) || limited.has(namespace)) return [];
      const ordinals = mine.map(ordinalOf).toSorted((one, other) => one - other);
      const isRight =
        ordinals.join() === asked.join() && mine.every((pod) => isPodActive(pod) && isUpToDate(set, pod));
      const text = `${name} has the pods ${ordinals.join()} and asks for ${asked.join()} of its template`;
      return isRight ? [] : [{ key: `${versionOf(set)} ${uidsOf(mine)}`, text, patienceMs: patienceMs(set) }];
    });
}

function isUpToDate(set: StatefulSet, pod: Pod): boolean {
  return !isUpdatable(set, ordinalOf(pod)) || isOfTemplate(pod, set.spec?.template);
}

/** DaemonSets that lack a pod on a node, have one too many, or do not go on with an update. */
export function lackingDaemonSets(store: Store, failing: ReadonlySet<string>): readonly Lack[] {
  const pods = podsIn(store);
  const nodes = objectsIn<Node>(store, resources.nodes);
  return objectsIn<DaemonSet>(store, resources.daemonSets)
    .filter((daemonSet) => stays(daemonSet) && !failing.has(daemonSet.metadata.uid ?? ""))
    .flatMap((daemonSet) => {
      const mine = ownedBy(pods, daemonSet);
      const misplaced = nodes.filter((node) => isMisplaced(daemonSet, node, mine));
      const isRolling = daemonSet.spec?.updateStrategy?.type === "RollingUpdate";
      const isOutdated =
        isRolling &&
        mine.every(isHealthy) &&
        mine.some((pod) => !isOfTemplate(pod, daemonSet.spec?.template));
      if (misplaced.length === 0 && !isOutdated) return [];
      const where = misplaced.map(({ metadata }) => metadata.name).join();
      const places = nodes.map(({ metadata, spec }) => JSON.stringify([metadata.uid, metadata.labels, spec]));
      const key = `${versionOf(daemonSet)} ${uidsOf(mine)} ${places.join()}`;
      const what = where === "" ? "is not updated" : `has not the pods that it should have on ${where}`;
      return [{ key, text: `${daemonSet.metadata.name} ${what}`, patienceMs: patienceMs(daemonSet) }];
    });
}

function isMisplaced(daemonSet: DaemonSet, node: Node, pods: readonly Pod[]): boolean {
  const there = pods.filter((pod) => nodeOf(pod) === node.metadata.name);
  if (!mayStay(daemonSet, node)) return there.some(stays);
  return isFor(daemonSet, node) && there.length === 0;
}
