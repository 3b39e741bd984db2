import type { Logger } from "../../pkg/log/logger.ts";
import type { SyncResult } from "../../pkg/reconcile/worker.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import { disown, removeFinalizer } from "./apply.ts";
import type { CollectorContext } from "./context.ts";
import { ORPHAN } from "./graph-change.ts";
import type { GraphNode } from "./graph.ts";

/** Strikes an owner off all its dependents, and lets it go only when that has been done for each of them. */
export async function orphan(
  owner: GraphNode,
  context: CollectorContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const failures: unknown[] = [];
  await Promise.all(
    [...owner.dependents].map(async ({ identity }) => {
      try {
        await disown(context, identity, [owner.identity.uid], signal);
      } catch (error) {
        if (!isNotFound(error)) failures.push(error);
      }
    }),
  );
  if (failures.length > 0) {
    signal.throwIfAborted();
    throw new AggregateError(
      failures,
      `${failures.length} dependents of ${String(owner)} could not be made orphans`,
    );
  }
  log.verbose(5, "The dependents are orphans now");
  await removeFinalizer(context, owner.identity, ORPHAN, signal);
  return {};
}
