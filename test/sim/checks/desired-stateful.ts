import { isDeepStrictEqual } from "node:util";
import { isPodActive } from "../../../pkg/api/pod.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { objectsIn, ownedBy } from "../world/objects.ts";
import type { Differences } from "./differences.ts";
import { isHealthy, isOfTemplate, isUpdatable, ordinalOf, ordinalsOf } from "./stateful-facts.ts";

/** What StatefulSets at rest should be: a healthy pod in every place, of the template where it is to be, with its claims. */
export function checkStatefulSets(found: Differences, store: Store, pods: readonly Pod[]): void {
  const sets = objectsIn<StatefulSet>(store, resources.statefulSets);
  const revisions = objectsIn<ControllerRevision>(store, resources.controllerRevisions);
  const claims = objectsIn<PersistentVolumeClaim>(store, resources.persistentVolumeClaims);
  checkOrphans(found, sets, pods);
  for (const claim of claims) checkClaim(found, claim, pods);
  for (const set of sets) {
    if (set.metadata.deletionTimestamp !== undefined) found.add(set, "is still being deleted");
    const mine = ownedBy(pods, set);
    checkPods(found, set, mine);
    checkStatus(found, set, mine, ownedBy(revisions, set));
    checkHistory(found, set, mine, ownedBy(revisions, set));
    for (const pod of mine) checkClaims(found, set, pod, claims);
  }
}

function checkOrphans(found: Differences, sets: readonly StatefulSet[], pods: readonly Pod[]): void {
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner?.kind === "StatefulSet" && sets.every(({ metadata }) => metadata.uid !== owner.uid))
      found.add(pod, `its StatefulSet ${owner.name} does not exist`);
  }
}

function checkPods(found: Differences, set: StatefulSet, pods: readonly Pod[]): void {
  const ordinals = pods.map(ordinalOf).toSorted((one, other) => one - other);
  found.compare(set, "ordinals", ordinals, ordinalsOf(set));
  for (const pod of pods) {
    const ordinal = ordinalOf(pod);
    if (!isHealthy(pod)) found.add(pod, "is not healthy");
    if (isUpdatable(set, ordinal) && !isOfTemplate(pod, set.spec?.template))
      found.add(pod, "is not of the template");
    const { labels } = pod.metadata;
    found.compare(pod, "its name label", labels?.["statefulset.kubernetes.io/pod-name"], pod.metadata.name);
    found.compare(pod, "its index label", labels?.["apps.kubernetes.io/pod-index"], String(ordinal));
  }
}

function checkStatus(
  found: Differences,
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: readonly ControllerRevision[],
): void {
  const { status, metadata, spec } = set;
  const active = pods.filter(isPodActive);
  const ready = active.filter(isHealthy).length;
  found.compare(set, "status.observedGeneration", status?.observedGeneration, metadata.generation);
  found.compare(set, "status.replicas", status?.replicas, active.length);
  found.compare(set, "status.readyReplicas", status?.readyReplicas ?? 0, ready);
  found.compare(set, "status.availableReplicas", status?.availableReplicas ?? 0, ready);
  const updated = active.filter((pod) => isOfTemplate(pod, spec?.template)).length;
  found.compare(set, "status.updatedReplicas", status?.updatedReplicas ?? 0, updated);
  const update = revisions.find((revision) => revision.metadata.name === status?.updateRevision);
  if (update === undefined) found.add(set, `its revision ${status?.updateRevision} does not exist`);
  const isComplete = spec?.updateStrategy?.type === "RollingUpdate" && updated === active.length;
  if (isComplete)
    found.compare(set, "status.currentRevision", status?.currentRevision, status?.updateRevision);
}

function checkHistory(
  found: Differences,
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: readonly ControllerRevision[],
): void {
  for (const [index, revision] of revisions.entries()) {
    const twin = revisions.slice(index + 1).find(({ data }) => isDeepStrictEqual(data, revision.data));
    if (twin !== undefined) found.add(set, `has its revision ${twin.metadata.name} twice`);
  }
  const { currentRevision, updateRevision } = set.status ?? {};
  const live = new Set([currentRevision, updateRevision, ...pods.map(revisionOf)]);
  const old = revisions.filter(({ metadata }) => !live.has(metadata.name ?? "")).length;
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  if (old > limit) found.add(set, `keeps ${old} old revisions, more than ${limit}`);
}

function revisionOf({ metadata }: Pod): string {
  return metadata.labels?.["controller-revision-hash"] ?? "";
}

/** One that is being deleted stays for as long as a pod uses it. */
function checkClaim(found: Differences, claim: PersistentVolumeClaim, pods: readonly Pod[]): void {
  const { namespace, name, deletionTimestamp } = claim.metadata;
  const isUsed = pods.some(
    ({ metadata, spec }) =>
      metadata.namespace === namespace &&
      spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name) === true,
  );
  if (deletionTimestamp !== undefined && !isUsed) found.add(claim, "is still being deleted");
}

/** The claims of a pod are there, and go with the StatefulSet exactly where the policy says so. */
function checkClaims(
  found: Differences,
  set: StatefulSet,
  pod: Pod,
  claims: readonly PersistentVolumeClaim[],
): void {
  const { whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  for (const { metadata } of set.spec?.volumeClaimTemplates ?? []) {
    const name = `${metadata.name}-${pod.metadata.name}`;
    const claim = claims.find(
      (one) => one.metadata.name === name && one.metadata.namespace === pod.metadata.namespace,
    );
    if (claim === undefined) {
      found.add(pod, `lacks its claim ${name}`);
      continue;
    }
    // One of a former StatefulSet of this name, which will go with this pod.
    if (claim.metadata.deletionTimestamp !== undefined) continue;
    const owners = (claim.metadata.ownerReferences ?? []).map(({ kind, uid }) => `${kind} ${uid}`);
    const wanted = whenDeleted === "Delete" ? [`StatefulSet ${set.metadata.uid}`] : [];
    found.compare(claim, "owners", owners, wanted);
  }
}
