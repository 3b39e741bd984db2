import { compareInt64 } from "../../../pkg/api/int64.ts";
import { isDeepStrictEqual } from "node:util";
import { isPodActive, isPodTerminal } from "../../../pkg/api/pod.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { objectsIn, ownedBy } from "../world/objects.ts";
import { isFor, mayStay, nodeOf } from "./daemon-facts.ts";
import type { Differences } from "./differences.ts";
import { isHealthy, isOfTemplate } from "./stateful-facts.ts";

/** What DaemonSets at rest should be: one healthy pod on each node that they are for, and none elsewhere. */
export function checkDaemonSets(found: Differences, store: Store, pods: readonly Pod[]): void {
  const daemonSets = objectsIn<DaemonSet>(store, resources.daemonSets);
  const nodes = objectsIn<Node>(store, resources.nodes);
  const revisions = objectsIn<ControllerRevision>(store, resources.controllerRevisions);
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner?.kind === "DaemonSet" && daemonSets.every(({ metadata }) => metadata.uid !== owner.uid))
      found.add(pod, `its DaemonSet ${owner.name} does not exist`);
  }
  for (const daemonSet of daemonSets) {
    if (daemonSet.metadata.deletionTimestamp !== undefined) found.add(daemonSet, "is still being deleted");
    const mine = ownedBy(pods, daemonSet);
    checkNodes(found, daemonSet, nodes, mine);
    checkStatus(found, daemonSet, nodes, mine);
    checkHistory(found, daemonSet, mine, ownedBy(revisions, daemonSet));
  }
}

function checkNodes(
  found: Differences,
  daemonSet: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
): void {
  for (const pod of pods) {
    if (nodes.every(({ metadata }) => metadata.name !== nodeOf(pod)))
      found.add(pod, `is for ${nodeOf(pod)}, which is not there`);
    if (!isHealthy(pod)) found.add(pod, "is not healthy");
    const isUpdated = isOfTemplate(pod, daemonSet.spec?.template);
    if (daemonSet.spec?.updateStrategy?.type === "RollingUpdate" && !isUpdated)
      found.add(pod, "is not of the template");
  }
  for (const node of nodes) {
    const { name = "" } = node.metadata;
    const count = pods.filter((pod) => nodeOf(pod) === name && !isPodTerminal(pod)).length;
    // Whoever may stay but not come is there or not.
    const [least, most] = [isFor(daemonSet, node) ? 1 : 0, mayStay(daemonSet, node) ? 1 : 0];
    if (count < least || count > most)
      found.add(daemonSet, `has ${count} pods on ${name}, and should have ${least} to ${most}`);
  }
}

function checkStatus(
  found: Differences,
  daemonSet: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
): void {
  const { status, metadata, spec } = daemonSet;
  const wanted = nodes.filter((node) => isFor(daemonSet, node)).map((node) => node.metadata.name ?? "");
  const onWanted = pods.filter((pod) => isPodActive(pod) && wanted.includes(nodeOf(pod)));
  const ready = onWanted.filter(isHealthy).length;
  const updated = onWanted.filter((pod) => isOfTemplate(pod, spec?.template)).length;
  found.compare(daemonSet, "status.observedGeneration", status?.observedGeneration, metadata.generation);
  found.compare(daemonSet, "status.desiredNumberScheduled", status?.desiredNumberScheduled, wanted.length);
  found.compare(daemonSet, "status.currentNumberScheduled", status?.currentNumberScheduled, onWanted.length);
  found.compare(daemonSet, "status.numberReady", status?.numberReady, ready);
  found.compare(daemonSet, "status.numberAvailable", status?.numberAvailable ?? 0, ready);
  found.compare(daemonSet, "status.numberUnavailable", status?.numberUnavailable ?? 0, wanted.length - ready);
  found.compare(daemonSet, "status.updatedNumberScheduled", status?.updatedNumberScheduled ?? 0, updated);
  const elsewhere = new Set(pods.map(nodeOf).filter((name) => !wanted.includes(name))).size;
  found.compare(daemonSet, "status.numberMisscheduled", status?.numberMisscheduled ?? 0, elsewhere);
}

function checkHistory(
  found: Differences,
  daemonSet: DaemonSet,
  pods: readonly Pod[],
  revisions: readonly ControllerRevision[],
): void {
  const hashOf = ({ metadata }: Pod | ControllerRevision): string =>
    metadata.labels?.["controller-revision-hash"] ?? "";
  for (const [index, revision] of revisions.entries()) {
    const twin = revisions.slice(index + 1).find(({ data }) => isDeepStrictEqual(data, revision.data));
    if (twin !== undefined) found.add(daemonSet, `has its revision ${twin.metadata.name} twice`);
  }
  const live = new Set(pods.map(hashOf));
  const latest = revisions
    .map(({ revision }) => revision)
    .toSorted(compareInt64)
    .at(-1);
  const old = revisions.filter((one) => !live.has(hashOf(one)) && one.revision !== latest).length;
  const limit = daemonSet.spec?.revisionHistoryLimit ?? 10;
  if (old > limit) found.add(daemonSet, `keeps ${old} old revisions, more than ${limit}`);
}
