import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";

const POLL_MS = 100;

/** An informer, or the registration of a handler. */
export interface Synced {
  hasSynced(): boolean;
}

/** For a worker pool: resolves when all of them have synced, rejects with the signal's reason when it aborts before. */
export function whenSynced(clock: Clock, caches: readonly Synced[]): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    signal.throwIfAborted();
    while (!caches.every((cache) => cache.hasSynced())) await sleep(clock, POLL_MS, signal);
  };
}
