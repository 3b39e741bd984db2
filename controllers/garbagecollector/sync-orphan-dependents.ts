import type { Logger } from "../../pkg/log/logger.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { disown, removeFinalizer } from "./apply.ts";
import type { CollectorContext } from "./context.ts";
import { ORPHAN } from "./graph-change.ts";
import type { GraphNode } from "./graph.ts";

/** As many dependents as are written at a time: there may be a hundred thousand. */
const AT_ONCE = 50;

/** Strikes an owner off all its dependents, and lets it go only when that has been done for each of them. */
export async function orphan(
  owner: GraphNode,
  context: CollectorContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const failures: unknown[] = [];
  // A copy: they leave the graph one by one as informers show them.
  const dependents = [...owner.dependents].values();
  const disownNext = async (): Promise<void> => {
    for (const { identity } of dependents) {
      try {
        await disown(context, identity, [owner.identity.uid], signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!isNotFound(error)) failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, disownNext));
  if (failures.length > 0) {
    throw new AggregateError(
      failures,
      `${failures.length} dependents of ${String(owner)} could not be made orphans`,
    );
  }
  log.verbose(5, "The dependents are orphans now");
  await removeFinalizer(context, owner.identity, ORPHAN, signal);
  return {};
}
