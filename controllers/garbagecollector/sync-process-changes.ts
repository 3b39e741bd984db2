import type { ApiObject } from "../../pkg/api/object.ts";
import { forEachInTurns } from "../../pkg/clock/turns.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { decideConsequences } from "./consequences.ts";
import type { CollectorContext } from "./context.ts";
import type { GraphChange } from "./graph-change.ts";
import { describeIdentity, identityKey, type ObjectIdentity, referredIdentity } from "./identity.ts";

/** Brings the graph up to date, and hands on what follows from that. One change at a time. */
export async function processChange(
  { key: change }: Sync<GraphChange>,
  context: CollectorContext,
): Promise<SyncResult> {
  const { graph, absentOwners, toDelete, toOrphan, clock } = context;
  const then = decideConsequences(graph, change);
  // These come before the dependents, which need not ask the server for such an owner any more.
  for (const owner of then.absent) absentOwners.set(identityKey(owner), true);
  for (const node of then.toOrphan) toOrphan.add(node);
  // An owner may have a hundred thousand dependents.
  if (then.toDelete.size > 0) await forEachInTurns(clock, then.toDelete, (node) => toDelete.add(node));
  for (const node of then.toDeleteLater) toDelete.addRateLimited(node);
  for (const { dependent, reference } of then.misplaced) {
    const { namespace } = dependent.identity;
    const owner = describeIdentity(referredIdentity(reference, namespace));
    context.events.event(
      objectNamed(dependent.identity),
      "Warning",
      "OwnerRefInvalidNamespace",
      `ownerRef ${owner} does not exist in namespace "${namespace}"`,
    );
  }
  return {};
}

function objectNamed({ apiVersion, kind, namespace, name, uid }: ObjectIdentity): ApiObject {
  return { apiVersion, kind, metadata: { ...(namespace !== "" && { namespace }), name, uid } };
}
