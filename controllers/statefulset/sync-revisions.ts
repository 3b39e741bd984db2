import { sortRevisions } from "../../pkg/api/controller-revision.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { CreatedRevision } from "../../pkg/controller/history/owned-revisions.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { withTemplateDefaults } from "../../pkg/api/defaults/pod-template.ts";
import type { StatefulSetContext } from "./context.ts";
import { currentRevision, decideRevision, decideTruncation, type Revisions } from "./revisions.ts";
import type { PodOfSet } from "./fields.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Sync = OwnerSync<StatefulSet>;

/** The StatefulSet's history, oldest first. Matching revisions that nobody controls are adopted. */
export async function claimRevisions(
  sync: Sync,
  { history }: StatefulSetContext,
  selector: LabelSelector,
): Promise<readonly Stored<ControllerRevision>[]> {
  // A revision whose labels no longer match is neither used nor released.
  return sortRevisions(await history.adopt(sync, ({ metadata }) => selector.matches(metadata.labels)));
}

/** Finds or creates the revision that the StatefulSet asks for. */
export async function syncRevisions(
  sync: Sync,
  context: StatefulSetContext,
  revisions: readonly Stored<ControllerRevision>[],
): Promise<Revisions> {
  const { revision: update, collisionCount } = await realizeRevision(sync, context, revisions);
  return { current: currentRevision(sync.owner, revisions) ?? update, update, collisionCount };
}

async function realizeRevision(
  sync: Sync,
  { history, comparesMeaning }: StatefulSetContext,
  revisions: readonly Stored<ControllerRevision>[],
): Promise<CreatedRevision> {
  const collisionCount = sync.owner.status?.collisionCount ?? 0;
  const plan = decideRevision(sync.owner, revisions, comparesMeaning ? withTemplateDefaults : undefined);
  if (plan.action === "keep") return { revision: plan.revision, collisionCount };
  const { name } = plan.revision.metadata;
  sync.decided("Another revision", { action: plan.action, reason: plan.reason, revision: name });
  if (plan.action === "create") return history.createUnique(sync, plan.revision, collisionCount);
  return { revision: await history.renumber(sync, plan.revision, plan.number), collisionCount };
}

/** Deletes old revisions above the limit, except those that the StatefulSet or one of its pods uses. */
export async function truncateHistory(
  sync: Sync,
  { history }: StatefulSetContext,
  revisions: readonly Stored<ControllerRevision>[],
  inUse: { readonly pods: readonly PodOfSet[]; readonly live: Revisions },
): Promise<void> {
  const { pods, live } = inUse;
  const names = [live.current.metadata.name, live.update.metadata.name];
  for (const revision of decideTruncation(sync.owner, revisions, { pods, names }))
    await history.remove(sync, revision);
}
