import { combinedError, throwAll } from "../../pkg/api/errors.ts";
import { keyOf, type ObjectRef } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import { createRevision, updateRevision } from "../../pkg/controller/history/revision-control.ts";
import { isGone, identityOf, readLive, readThenWrite } from "../../pkg/controller/read-live.ts";
import { SLOW_START_INITIAL_BATCH, slowStartBatch } from "../../pkg/controller/slow-start.ts";
import type { Round } from "./context.ts";
import { podTemplate, REVISION_HASH, templateGeneration } from "./daemon-set.ts";
import { daemonPodTemplate, pinnedToNode } from "./pod-template.ts";
import { hashOf, holdsTemplate } from "./revisions.ts";

/** Pods created, and pods deleted, in one go; the next one follows when these have been seen. */
const BURST = 250;

export interface PodChanges {
  /** The nodes that get a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

/**
 * Creates pods, in batches that grow while all goes well, and deletes others. Gives the created ones; throws what went
 * wrong once all was tried. A pod that is gone already is no error.
 */
export async function changePods(round: Round, changes: PodChanges, hash: string): Promise<readonly Pod[]> {
  const { context, daemonSet } = round;
  const nodes = changes.create.slice(0, BURST);
  const removed = changes.remove.slice(0, BURST);
  context.deletions.expectDeletions(daemonSet, removed.map(keyOf));
  context.expectations.raise(daemonSet, nodes.length, 0);
  const created: Pod[] = [];
  const errors = [...(await createPods(round, nodes, hash, created)), ...(await deletePods(round, removed))];
  throwAll(errors);
  return created;
}

async function createPods(
  { context, daemonSet, signal }: Round,
  nodes: readonly string[],
  hash: string,
  created: Pod[],
): Promise<readonly unknown[]> {
  const template = daemonPodTemplate(podTemplate(daemonSet), templateGeneration(daemonSet), hash);
  const reference = newControllerRef(daemonSet, resources.daemonSets);
  const create = async (index: number): Promise<void> => {
    const pinned = pinnedToNode(template, nodes[index] ?? "");
    try {
      created.push(await context.podControl.create(pinned, daemonSet, reference, signal));
    } catch (error) {
      // In a namespace that is going away there is nothing to be done, nor to be reported.
      if (!isNamespaceTerminating(error)) throw error;
    }
  };
  const { errors } = await slowStartBatch(nodes.length, SLOW_START_INITIAL_BATCH, create);
  // What was not created will not be seen either.
  context.expectations.lower(daemonSet, nodes.length - created.length, 0);
  return errors;
}

async function deletePods(
  { context, daemonSet, signal }: Round,
  pods: readonly Pod[],
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const remove = async (pod: Pod): Promise<void> => {
    try {
      await context.podControl.delete(pod, daemonSet, signal);
    } catch (error) {
      context.deletions.deletionObserved(daemonSet, keyOf(pod));
      if (!isGone(error)) errors.push(error);
    }
  };
  await Promise.all(pods.map(remove));
  return errors;
}

/**
 * Writes what changes in the status; after one failure once more, on top of what the server has by then. What has the name
 * by then may be another DaemonSet, which is counted by itself.
 */
export async function writeStatus(
  { context, daemonSet, log, signal }: Round,
  change: DaemonSetStatus,
): Promise<void> {
  const { client } = context;
  log.verbose(4, "Updating status", { ...change });
  let updated: DaemonSet | undefined;
  try {
    updated = await client.updateStatus(withStatus(daemonSet, change), {}, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.verbose(4, "The status was refused, trying once more", { error: String(error) });
    try {
      updated = await readThenWrite<DaemonSet>(
        {
          client,
          identity: identityOf(daemonSet),
          change: (live) => withStatus(live, change),
          write: async (changed) => client.updateStatus(changed, {}, signal),
        },
        signal,
      );
    } catch (second) {
      throw combinedError([error, second]);
    }
  }
  if (updated !== undefined) context.consistency?.wroteOwner(resources.daemonSets, updated);
}

function withStatus(daemonSet: DaemonSet, change: DaemonSetStatus): DaemonSet {
  return { ...daemonSet, status: { ...daemonSet.status, ...change } };
}

/**
 * Creates it, or finds that it exists. Where another template has the name, the DaemonSet's collision count is raised,
 * and the error thrown: the next sync takes another name.
 */
export async function createOrFindRevision(
  round: Round,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { context, daemonSet, signal } = round;
  try {
    return wrote(round, await createRevision(context.revisionClient, revision, signal));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const existing = await context.revisionClient.get(refOf(revision), {}, signal);
    if (holdsTemplate(existing, daemonSet)) return existing;
    await raiseCollisionCount(round);
    throw error;
  }
}

async function raiseCollisionCount({ context, daemonSet, log, signal }: Round): Promise<void> {
  const { name = "" } = daemonSet.metadata;
  const fresh = await readLive(context.client, identityOf(daemonSet), signal);
  // It is gone; another of its name has a count of its own.
  if (fresh === undefined) return;
  const [before, now] = [daemonSet.status?.collisionCount, fresh.status?.collisionCount];
  if (before !== now) {
    throw new CollisionCountError(
      `found a stale collision count (${before ?? 0}, expected ${now ?? 0}) of DaemonSet ${JSON.stringify(name)} ` +
        "while processing; will retry until it is updated",
    );
  }
  const collisionCount = (now ?? 0) + 1;
  const status = { ...noStatus, ...fresh.status, collisionCount };
  const updated = await context.client.updateStatus({ ...fresh, status }, {}, signal);
  context.consistency?.wroteOwner(resources.daemonSets, updated);
  log.verbose(2, "Another template has the name of the revision; the collision count was raised", {
    collisionCount,
  });
}

const noStatus = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

/** The cache shows an older collision count than the server has. */
class CollisionCountError extends Error {
  readonly code = "CollisionCount";
  override readonly name = "CollisionCountError";
}

export async function writeRevision(round: Round, revision: ControllerRevision): Promise<ControllerRevision> {
  return wrote(round, await updateRevision(round.context.revisionClient, revision, round.signal));
}

/** One that is gone already is no error. */
export async function deleteRevision(
  { context, signal }: Round,
  revision: ControllerRevision,
): Promise<void> {
  try {
    await context.revisionClient.delete(refOf(revision), {}, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The pod is of the same template as that revision, whatever revision it was created for. */
export async function relabelPod(
  { context, signal }: Round,
  pod: Pod,
  revision: ControllerRevision,
): Promise<void> {
  const { namespace = "", name = "" } = pod.metadata;
  const body = { metadata: { labels: { [REVISION_HASH]: hashOf(revision) } } };
  await context.podControl.patch({ namespace, name }, { type: "merge", body }, signal);
}

function wrote({ context, daemonSet }: Round, revision: ControllerRevision): ControllerRevision {
  const { uid = "" } = daemonSet.metadata;
  const { resourceVersion } = revision.metadata;
  context.consistency?.wroteAt(keyOf(daemonSet), uid, resources.controllerRevisions, resourceVersion);
  return revision;
}

function refOf({ metadata }: ControllerRevision): ObjectRef {
  const { namespace = "", name = "" } = metadata;
  return { namespace, name };
}
