import type { InformerHealth } from "../../cache/informer/informer-factory.ts";
import type { Clock } from "../../clock/clock.ts";
import type { HealthCheck } from "./health.ts";

/**
 * A watch ends after ten minutes at the latest, whether anything came or not, so a cache that has heard nothing for this
 * long is fed by nobody.
 */
const MAX_SILENCE_MS = 15 * 60_000;

export interface InformerCheckOptions {
  readonly health: () => readonly InformerHealth[];
  readonly clock: Clock;
  /** How long a cache may take to be filled for the first time; 0: for ever. */
  readonly maxSyncMs: number;
}

/** Whether the caches that controllers read are filled, and follow the server. */
export function informerCheck({ health, clock, maxSyncMs }: InformerCheckOptions): HealthCheck {
  const firstSeenMs = new Map<string, number>();
  return {
    name: "informer-sync",
    concern: "caches",
    check: () => {
      const nowMs = clock.monotonicMs();
      const problems = health().flatMap((informer) => {
        const seenMs = firstSeenMs.get(informer.name) ?? nowMs;
        firstSeenMs.set(informer.name, seenMs);
        if (informer.failure !== undefined) return [`${informer.name} has failed, and starts anew`];
        if (!informer.synced) {
          return maxSyncMs > 0 && nowMs - seenMs > maxSyncMs ? [`${informer.name} is not filled yet`] : [];
        }
        const minutes = Math.floor(informer.silentMs / 60_000);
        return informer.silentMs > MAX_SILENCE_MS
          ? [`${informer.name} has heard nothing for ${minutes} minutes`]
          : [];
      });
      return problems.length === 0 ? undefined : problems.join("; ");
    },
  };
}
