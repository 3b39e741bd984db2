import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";

const POLL_MS = 100;

/** An informer, or the registration of a handler. */
export interface Synced {
  hasSynced(): boolean;
  /** Resolves to true as soon as it has synced. Without it, or after a false, it is asked again after a while. */
  whenSynced?(signal: AbortSignal): Promise<boolean>;
}

/** For a worker pool: resolves when all of them have synced, rejects with the signal's reason when it aborts before. */
export function whenSynced(clock: Clock, caches: readonly Synced[]): (signal: AbortSignal) => Promise<void> {
  return async (signal) => {
    signal.throwIfAborted();
    for (let late = firstLate(caches); late !== undefined; late = firstLate(caches)) {
      if ((await late.whenSynced?.(signal)) !== true) await sleep(clock, POLL_MS, signal);
    }
  };
}

function firstLate(caches: readonly Synced[]): Synced | undefined {
  return caches.find((cache) => !cache.hasSynced());
}
