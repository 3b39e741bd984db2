import type { ControllerRevision } from "../../pkg/api/types/apps-v1.gen.ts";
import { createOrFindRevision, relabelPod } from "./apply.ts";
import type { ClaimedPods } from "./sync-pods.ts";
import type { Round } from "./context.ts";
import { REVISION_HASH } from "./daemon-set.ts";
import {
  hashOf,
  newRevision,
  type Revisions,
  splitRevisions,
  surplusHistory,
  withHash,
} from "./revisions.ts";
import type { Stored } from "../../pkg/api/object.ts";

export interface History {
  /** The hash in the labels of pods with the current template. */
  readonly hash: string;
  readonly old: readonly Stored<ControllerRevision>[];
}

/** Makes sure that the current template has exactly one revision, with the highest number. */
export async function syncRevisions(round: Round, pods: ClaimedPods): Promise<History> {
  const { sync, context, selector } = round;
  const claimed = await context.history.claim(sync, ({ metadata }) => selector.matches(metadata.labels));
  const owned = await Promise.all(claimed.map(async (each) => labelled(round, each)));
  const revisions = splitRevisions(sync.owner, owned);
  const { current, old, number } = revisions;
  if (current === undefined) {
    const created = await createOrFindRevision(round, newRevision(sync.owner, number));
    return { hash: hashOf(created), old };
  }
  await removeDuplicates(round, revisions, current, pods);
  if (current.revision < number) await context.history.update(sync, { ...current, revision: number });
  return { hash: hashOf(current), old };
}

/** Deletes old revisions above the limit. */
export async function cleanUpHistory(
  { sync, context }: Round,
  { old }: Pick<History, "old">,
  pods: ClaimedPods,
): Promise<void> {
  for (const revision of surplusHistory(sync.owner, old, pods.now()))
    await context.history.remove(sync, revision);
}

async function labelled(
  { sync, context }: Round,
  revision: Stored<ControllerRevision>,
): Promise<Stored<ControllerRevision>> {
  const wanted = withHash(revision);
  return wanted === revision ? revision : context.history.update(sync, wanted);
}

/** Deletes duplicates of the current revision. Their pods get its label first: otherwise they would count as old. */
async function removeDuplicates(
  round: Round,
  { duplicates }: Revisions,
  current: ControllerRevision,
  pods: ClaimedPods,
): Promise<void> {
  if (duplicates.length === 0) return;
  const hashes = new Set(duplicates.map(hashOf).filter((hash) => hash !== hashOf(current)));
  for (const pod of pods.now()) {
    if (hashes.has(pod.metadata.labels?.[REVISION_HASH] ?? "")) await relabelPod(round, pod, current);
  }
  for (const duplicate of duplicates) await round.context.history.remove(round.sync, duplicate);
}
