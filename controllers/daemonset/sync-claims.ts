import type { ApiObject } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { ownedAndOrphanedRevisions } from "../../pkg/controller/history/revision-index.ts";
import { type Claimer, claimObjects } from "../../pkg/controller/ownership.ts";
import { ownedAndOrphanedPods } from "../../pkg/controller/pod-index.ts";
import type { Round } from "./context.ts";

const KIND = resources.daemonSets.kind;

/** The pods of a sync: those that were claimed at its start, and what it has created since. */
export interface ClaimedPods {
  /** As the cache shows them now; what it does not show yet is as the server gave it. */
  now(): readonly Pod[];
  created(pods: readonly Pod[]): void;
}

/** Adopts and releases pods. Not done again in the same sync: the cache may yet show as an orphan what was adopted. */
export async function claimPods(round: Round): Promise<ClaimedPods> {
  const { context, daemonSet, selector, signal } = round;
  const patch: Claimer<Pod>["patch"] = async (pod, body) => context.podControl.claim(pod, body, signal);
  const matches = (object: ApiObject): boolean => selector.matches(object.metadata.labels);
  const pods = ownedAndOrphanedPods(context.pods, daemonSet, KIND);
  const orphans = new Set(
    pods.filter((pod) => !isControlledBy(pod, daemonSet)).map(({ metadata }) => metadata.uid),
  );
  const claimed = await claimObjects<Pod>(
    { ...claimer(round), resource: resources.pods, patch },
    pods,
    matches,
    signal,
  );
  const adopted = new Set(claimed.map(({ metadata }) => metadata.uid)).intersection(orphans);
  const created: Pod[] = [];
  return {
    now: () => {
      const cached = ownedAndOrphanedPods(context.pods, daemonSet, KIND).filter(
        (pod) => matches(pod) && (isControlledBy(pod, daemonSet) || adopted.has(pod.metadata.uid)),
      );
      const shown = new Set(cached.map(({ metadata }) => metadata.uid));
      return [...cached, ...created.filter(({ metadata }) => !shown.has(metadata.uid))];
    },
    created: (pods) => created.push(...pods),
  };
}

/** Adopts and releases revisions, and gives those that are the DaemonSet's. */
export async function claimRevisions(round: Round): Promise<readonly ControllerRevision[]> {
  const { context, daemonSet, selector, signal } = round;
  const { namespace = "" } = daemonSet.metadata;
  const patch: Claimer<ControllerRevision>["patch"] = async (revision, body) =>
    context.revisionClient.patch({ namespace, name: revision.metadata.name ?? "" }, body, {}, signal);
  return claimObjects<ControllerRevision>(
    { ...claimer(round), resource: resources.controllerRevisions, patch },
    ownedAndOrphanedRevisions(context.revisions, daemonSet, KIND),
    (revision) => selector.matches(revision.metadata.labels),
    signal,
  );
}

function claimer({ context, daemonSet, log }: Round) {
  return {
    owner: daemonSet,
    ownerResource: resources.daemonSets,
    ownerClient: context.client,
    consistency: context.consistency,
    log,
  };
}
