import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import {
  ClusterScopedDependentError,
  deleteObject,
  disown,
  readObject,
  removeFinalizer,
  resourceOf,
  unblockOwners,
  UnknownKindError,
} from "./apply.ts";
import type { CollectorContext } from "./context.ts";
import { type CheckedOwner, decideDeletion } from "./deletion.ts";
import { FOREGROUND, GraphChange } from "./graph-change.ts";
import type { GraphNode } from "./graph.ts";
import { identityKey, referredIdentity } from "./identity.ts";

/** Looks at one object that may have to go: it does when the server, not the graph, says that no owner is left. */
export async function collect(sync: Sync<GraphNode>, context: CollectorContext): Promise<SyncResult> {
  const { key: node, log } = sync;
  if (node.virtual && context.graph.get(node.identity.uid)?.virtual !== true) {
    log.verbose(5, "The object was seen or has gone since it was named as an owner");
    return {};
  }
  try {
    if (await examine(sync, context)) return {};
  } catch (error) {
    if (error instanceof ClusterScopedDependentError) {
      sync.decided("A cluster-scoped object names an owner that has a namespace", { error: error.message });
      return {};
    }
    if (!(error instanceof UnknownKindError)) throw error;
    // A custom resource that is not served yet, or no kind at all. Only time can tell.
    log.verbose(5, "The kind is not known", { error: error.message });
    return { backOff: true };
  }
  // It exists, and could still be deleted before any informer shows it, so that nobody would tell of the deletion.
  return node.virtual ? { backOff: true } : {};
}

/** True when the graph is going to be told that there is no such object. */
async function examine(sync: Sync<GraphNode>, context: CollectorContext): Promise<boolean> {
  const { key: node, log, signal } = sync;
  const { identity } = node;
  // The end of a deletion is told by the informer; nothing can be done to speed it up.
  const isEnding = node.beingDeleted && !node.deletingDependents;
  if (isEnding && !node.unlisted) return false;
  const latest = await readObject(context, identity, signal);
  if (latest === undefined) {
    log.verbose(5, "The server does not have the object");
    context.changes.add(GraphChange.absent(identity));
    return true;
  }
  if (isEnding) return false;
  if (node.deletingDependents) {
    await finishForeground(sync, context);
    return false;
  }
  const owners = await checkOwners(sync, context, latest.metadata.ownerReferences ?? []);
  return act(sync, context, latest, owners);
}

/** An object that waits for its dependents: those that hold it up are deleted; when there are none, it may go. */
async function finishForeground(sync: Sync<GraphNode>, context: CollectorContext): Promise<void> {
  const { key: node, signal } = sync;
  const blocking = node.blockingDependents();
  if (blocking.length === 0) {
    sync.decided("No dependents hold up the deletion any more");
    await removeFinalizer(context, node.identity, FOREGROUND, signal);
    return;
  }
  for (const dependent of blocking) if (!dependent.deletingDependents) context.toDelete.add(dependent);
}

async function act(
  sync: Sync<GraphNode>,
  context: CollectorContext,
  latest: ApiObject,
  owners: readonly CheckedOwner[],
): Promise<boolean> {
  const { key: node, signal } = sync;
  const plan = decideDeletion(latest, owners, node.dependents);
  if (plan.action === "keep") return false;
  if (plan.action === "disown") {
    sync.decided("Striking off owners that have gone or wait for their dependents", { uids: plan.uids });
    await disown(context, node.identity, plan.uids, signal);
    return false;
  }
  if (plan.action === "unblock") {
    sync.decided("Letting no owner wait for an object that may be its owner's owner");
    await unblockOwners(context, latest, node.identity, signal);
    context.toDelete.add(node);
    return false;
  }
  sync.decided("Deleting an object without owners", { policy: plan.policy });
  try {
    const { identity } = node;
    await deleteObject(context, { identity, read: latest.metadata, policy: plan.policy }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    context.changes.add(GraphChange.absent(node.identity));
    return true;
  }
  return false;
}

/** Every owner as the server has it now. What is known to be absent is not asked for again. */
async function checkOwners(
  sync: Sync<GraphNode>,
  context: CollectorContext,
  references: readonly OwnerReference[],
): Promise<readonly CheckedOwner[]> {
  const checked: CheckedOwner[] = [];
  for (const reference of references)
    checked.push({ reference, owner: await findOwner(sync, context, reference) });
  return checked;
}

async function findOwner(
  { key: node, signal }: Sync<GraphNode>,
  context: CollectorContext,
  reference: OwnerReference,
): Promise<ApiObject | undefined> {
  const { namespace } = node.identity;
  const { absentOwners } = context;
  const namespaced = referredIdentity(reference, namespace);
  const clusterScoped = referredIdentity(reference, "");
  if ([clusterScoped, namespaced].some((each) => absentOwners.get(identityKey(each)))) return undefined;
  const resource = await resourceOf(context, reference, signal);
  if (resource.namespaced && namespace === "")
    throw new ClusterScopedDependentError(node.identity, reference);
  const identity = resource.namespaced ? namespaced : clusterScoped;
  const owner = await readObject(context, identity, signal);
  if (owner === undefined) absentOwners.set(identityKey(identity), true);
  return owner;
}
