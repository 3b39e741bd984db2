import { combinedError, throwAll } from "../../pkg/api/errors.ts";
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import { isAlreadyExists } from "../../pkg/client/errors.ts";
import type { Round } from "./context.ts";
import { podTemplate, REVISION_HASH, templateGeneration } from "./daemon-set.ts";
import { daemonPodTemplate, pinnedToNode } from "./pod-template.ts";
import { hashOf, holdsTemplate } from "./revisions.ts";
import type { CachedPod } from "./fields.ts";

/** How many pods are created, and how many deleted, at a time. The next ones follow when the cache shows these. */
const BURST = 250;

export interface PlannedPods {
  /** The nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly CachedPod[];
}

/**
 * Creates pods, in batches that grow while all goes well, and deletes others. Gives the created pods; throws all errors
 * at the end. That a pod is gone already is no error.
 */
export async function changePods(
  { sync, context }: Round,
  changes: PlannedPods,
  hash: string,
): Promise<readonly CachedPod[]> {
  const template = daemonPodTemplate(podTemplate(sync.owner), templateGeneration(sync.owner), hash);
  const { created, errors } = await context.owned.change(sync, {
    create: changes.create.slice(0, BURST).map((node) => () => pinnedToNode(template, node)),
    remove: changes.remove.slice(0, BURST),
  });
  throwAll(errors);
  return created;
}

/**
 * Writes what changes in the status, and after a failure once more, on top of what the server has by then. Another
 * DaemonSet that has taken the name meanwhile is left alone.
 */
export async function writeStatus({ sync, context }: Round, change: DaemonSetStatus): Promise<void> {
  const { owner: daemonSet, log, signal } = sync;
  const { writes } = context;
  log.verbose(4, "Updating status", { ...change });
  try {
    await writes.updateStatusUnread(sync, withStatus(daemonSet, change));
  } catch (error) {
    signal.throwIfAborted();
    log.verbose(4, "The status was refused, trying once more", { error: String(error) });
    try {
      await writes.changeStatus(sync, daemonSet, (live) => withStatus(live, change));
    } catch (second) {
      throw combinedError([error, second]);
    }
  }
}

function withStatus(daemonSet: DaemonSet, change: DaemonSetStatus): DaemonSet {
  return { ...daemonSet, status: { ...daemonSet.status, ...change } };
}

/**
 * Creates the revision, or finds the one that exists. Where a revision of another template has the name, the
 * DaemonSet's collision count is raised and the error thrown: the next sync takes another name.
 */
export async function createOrFindRevision(
  round: Round,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { sync, context } = round;
  try {
    return await context.history.create(sync, revision);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await context.history.underNameOf(revision, sync.signal);
    if (holdsTemplate(existing, sync.owner)) return existing;
    await raiseCollisionCount(round);
    throw error;
  }
}

async function raiseCollisionCount({ sync, context }: Round): Promise<void> {
  const { owner: daemonSet } = sync;
  const { name } = daemonSet.metadata;
  const fresh = await context.writes.live(sync, daemonSet);
  // The DaemonSet is gone; another one of its name has a count of its own.
  if (fresh === undefined) return;
  const [before, now] = [daemonSet.status?.collisionCount, fresh.status?.collisionCount];
  if (before !== now) {
    throw new CollisionCountError(
      `found a stale collision count (${before ?? 0}, expected ${now ?? 0}) of DaemonSet ${JSON.stringify(name)} ` +
        "while processing; will retry until it is updated",
    );
  }
  const collisionCount = (now ?? 0) + 1;
  sync.decided("Another template has the name of the revision; the collision count is raised", {
    collisionCount,
  });
  const status = { ...noStatus, ...fresh.status, collisionCount };
  await context.writes.updateStatusUnread(sync, { ...fresh, status });
}

const noStatus = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

/** The cache shows an older collision count than the server. */
class CollisionCountError extends Error {
  readonly code = "CollisionCount";
  override readonly name = "CollisionCountError";
}

/** Gives the pod the label of the revision: both have the same template, whatever revision the pod was created for. */
export async function relabelPod(
  { sync, context }: Round,
  pod: CachedPod,
  revision: ControllerRevision,
): Promise<void> {
  await context.owned.label(sync, pod, { [REVISION_HASH]: hashOf(revision) });
}
