import { isNotFound } from "../../pkg/client/errors.ts";
import { attemptEach } from "../../pkg/controller/attempts.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { disown, removeFinalizer } from "./apply.ts";
import type { CollectorContext } from "./context.ts";
import { ORPHAN } from "./graph-change.ts";
import type { GraphNode } from "./graph.ts";

/** As many dependents as are written at a time: there may be a hundred thousand. */
const AT_ONCE = 50;

/** Strikes an owner off all its dependents, and lets it go only when that has been done for each of them. */
export async function orphanDependents(
  sync: Sync<GraphNode>,
  context: CollectorContext,
): Promise<SyncResult> {
  const { key: owner, signal } = sync;
  sync.decided("The dependents are to be orphans", { dependents: owner.dependents.size });
  const disownNext = async ({ identity }: GraphNode): Promise<void> =>
    disown(context, identity, [owner.identity.uid], signal);
  // A copy: they leave the graph one by one as informers show them.
  await attemptEach([...owner.dependents], disownNext, {
    signal,
    atOnce: AT_ONCE,
    unless: isNotFound,
    failed: (count) => `${count} dependents of ${String(owner)} could not be made orphans`,
  });
  await removeFinalizer(context, owner.identity, ORPHAN, signal);
  return {};
}
