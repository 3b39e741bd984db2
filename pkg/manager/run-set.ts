import type { Clock } from "../clock/clock.ts";
import type { ControllerSet } from "../controller/controller-set.ts";
import type { Logger } from "../log/logger.ts";
import { endInTime } from "./end-in-time.ts";
import type { HealthChecks } from "./health/health.ts";
import { checksOf } from "./health/set-health.ts";

export interface RunSetOptions {
  readonly health: Pick<HealthChecks, "add" | "remove">;
  readonly clock: Clock;
  readonly log: Logger;
  /** A key may be worked on without an answer from the server, and caches may be filled, for this long; 0: for ever. */
  readonly maxSyncMs: number;
  /** What the controllers have for their end after an abort; 0: as long as it takes. */
  readonly limitMs: number;
  /** Name of the check of the informers, where it is not the usual one. */
  readonly informerCheck?: string | undefined;
}

/** Runs the set, whose health is checked meanwhile. Resolves to whether all of it ended in time after the abort. */
export async function runSet(
  set: ControllerSet,
  { health, clock, log, maxSyncMs, limitMs, informerCheck }: RunSetOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const checks = checksOf(set, { clock, maxSyncMs, informerCheck });
  health.add(...checks);
  const clean = await endInTime(set, { limitMs, clock, log }, signal);
  for (const { name } of checks) health.remove(name);
  return clean;
}
