import { forEachInTurns } from "../../pkg/clock/turns.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { tellDefinition } from "./apply.ts";
import { BY_RESOURCE, type MigratorContext } from "./context.ts";
import { statusAtBegin, statusAtEnd } from "./definition-status.ts";
import { completed, inState } from "./migration.ts";
import { TurnPlanner } from "./turn-plan.ts";

/** Migrations of one resource, whose name is the key, run one after the other. */
export async function syncTurns(sync: Sync, context: MigratorContext): Promise<SyncResult> {
  const { key, signal } = sync;
  const { migrations, writes, clock } = context;
  const planner = new TurnPlanner();
  await forEachInTurns(clock, migrations.lister.byIndex(BY_RESOURCE, key), (each) => planner.look(each));
  const { ending, next } = planner.plan();
  for (const owner of ending) {
    sync.decided("The migration has ended", { migration: owner.metadata.name });
    await tellDefinition(context, owner, statusAtEnd, signal);
    await writes.updateStatus({ owner, signal }, completed(owner, clock.nowMs()));
  }
  if (next !== undefined) {
    sync.decided("No other migration of the resource runs", { migration: next.metadata.name });
    await tellDefinition(context, next, statusAtBegin, signal);
    const running = inState(next, "Running", "The migration is running", clock.nowMs());
    await writes.updateStatus({ owner: next, signal }, running);
  }
  return {};
}
