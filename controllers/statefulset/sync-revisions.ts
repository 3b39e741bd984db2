import { sortRevisions } from "../../pkg/api/controller-revision.ts";
import type { LabelSelector } from "../../pkg/api/labels.ts";
import { keyOf } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { withTemplateDefaults } from "../../pkg/api/defaults/pod-template.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import {
  type CreatedRevision,
  createUniqueRevision,
  renumberRevision,
} from "../../pkg/controller/history/revision-control.ts";
import { ownedAndOrphanedRevisions } from "../../pkg/controller/history/revision-index.ts";
import { claimObjects } from "../../pkg/controller/ownership.ts";
import type { StatefulSetContext } from "./context.ts";
import { currentRevision, decideRevision, decideTruncation, type Revisions } from "./revisions.ts";

/** The StatefulSet's history, oldest first; revisions that match and nobody manages become its own. */
export async function claimRevisions(
  context: StatefulSetContext,
  set: StatefulSet,
  selector: LabelSelector,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly ControllerRevision[]> {
  const { namespace = "" } = set.metadata;
  // A revision whose labels no longer match is neither used nor released.
  const matching = ownedAndOrphanedRevisions(context.revisions, set, "StatefulSet").filter((revision) =>
    selector.matches(revision.metadata.labels),
  );
  const claimed = await claimObjects<ControllerRevision>(
    {
      owner: set,
      ownerResource: resources.statefulSets,
      ownerClient: context.setClient,
      resource: resources.controllerRevisions,
      patch: async ({ metadata }, patch) =>
        context.revisionClient.patch({ namespace, name: metadata.name ?? "" }, patch, {}, signal),
      consistency: context.consistency,
      log,
    },
    matching,
    () => true,
    signal,
  );
  return sortRevisions(claimed);
}

/** Finds or makes the revision that the StatefulSet asks for. */
export async function syncRevisions(
  context: StatefulSetContext,
  set: StatefulSet,
  history: readonly ControllerRevision[],
  log: Logger,
  signal: AbortSignal,
): Promise<Revisions> {
  const { revision: update, collisionCount } = await realizeRevision(context, set, history, log, signal);
  return { current: currentRevision(set, history) ?? update, update, collisionCount };
}

async function realizeRevision(
  context: StatefulSetContext,
  set: StatefulSet,
  history: readonly ControllerRevision[],
  log: Logger,
  signal: AbortSignal,
): Promise<CreatedRevision> {
  const collisionCount = set.status?.collisionCount ?? 0;
  const defaults = context.comparesMeaning ? withTemplateDefaults : undefined;
  const plan = decideRevision(set, history, defaults);
  log.verbose(4, "Revision decided", {
    action: plan.action,
    reason: plan.reason,
    revision: plan.revision.metadata.name,
  });
  if (plan.action === "keep") return { revision: plan.revision, collisionCount };
  if (plan.action === "renumber") {
    const revision = await renumberRevision(context.revisionClient, plan.revision, plan.number, signal);
    wrote(context, set, revision);
    return { revision, collisionCount };
  }
  const created = await createUniqueRevision(
    context.revisionClient,
    set,
    plan.revision,
    collisionCount,
    signal,
  );
  wrote(context, set, created.revision);
  return created;
}

/** Deletes old revisions above the limit. */
export async function truncateHistory(
  context: StatefulSetContext,
  set: StatefulSet,
  history: readonly ControllerRevision[],
  pods: readonly Pod[],
  live: Revisions,
  signal: AbortSignal,
): Promise<void> {
  const names = [live.current.metadata.name, live.update.metadata.name];
  for (const { metadata } of decideTruncation(set, history, { pods, names })) {
    const { namespace = "", name = "" } = metadata;
    try {
      await context.revisionClient.delete({ namespace, name }, {}, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function wrote(context: StatefulSetContext, set: StatefulSet, { metadata }: ControllerRevision): void {
  const { uid = "" } = set.metadata;
  context.consistency?.wroteAt(keyOf(set), uid, resources.controllerRevisions, metadata.resourceVersion);
}
