import { isNotFound } from "../../pkg/client/errors.ts";
import { attempts } from "../../pkg/controller/attempts.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { disown, removeFinalizer } from "./apply.ts";
import type { CollectorContext } from "./context.ts";
import { ORPHAN } from "./graph-change.ts";
import type { GraphNode } from "./graph.ts";
import type { ObjectIdentity } from "./identity.ts";

/** As many dependents as are written at a time: there may be a hundred thousand. */
const AT_ONCE = 50;

/** Strikes an owner off all its dependents, and lets it go only when that has been done for each of them. */
export async function orphanDependents(
  sync: Sync<GraphNode>,
  context: CollectorContext,
): Promise<SyncResult> {
  const { key: owner, signal } = sync;
  sync.decided("The dependents are to be orphans", { dependents: owner.dependents.size });
  const { errors, attempt } = attempts(signal);
  const disownUnlessGone = async (dependent: ObjectIdentity): Promise<void> => {
    try {
      await disown(context, dependent, [owner.identity.uid], signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  // A copy: they leave the graph one by one as informers show them.
  const dependents = [...owner.dependents].values();
  const disownNext = async (): Promise<void> => {
    for (const { identity } of dependents) await attempt(async () => disownUnlessGone(identity));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, disownNext));
  if (errors.length > 0) {
    const message = `${errors.length} dependents of ${String(owner)} could not be made orphans`;
    throw new AggregateError(errors, message);
  }
  await removeFinalizer(context, owner.identity, ORPHAN, signal);
  return {};
}
