import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";
import { isForbidden } from "../client/errors.ts";
import type { Logger } from "../log/logger.ts";
import type { LeaseLock } from "./lease-lock.ts";

export interface LeaseNewsOptions {
  readonly lock: Pick<LeaseLock, "watch" | "describe">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Between the end of one watch and the next. */
  readonly retryMs: number;
}

/**
 * Wakes a candidate when the Lease has changed, so that it sees a release, or the last renewal before a leader's death,
 * at once and not with its next poll. This is a hint, and decides nothing: a candidate that may not watch, or whose
 * watch hangs, polls as ever.
 */
export class LeaseNews {
  readonly #options: LeaseNewsOptions;
  #isFresh = false;
  #wake: (() => void) | undefined;

  constructor(options: LeaseNewsOptions) {
    this.#options = options;
  }

  /** Watches until the signal aborts, or for as long as this is allowed. */
  async follow(signal: AbortSignal): Promise<void> {
    const { lock, clock, log, retryMs } = this.#options;
    while (!signal.aborted) {
      try {
        for await (const _ of lock.watch(signal)) this.#tell();
        await sleep(clock, retryMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.verbose(2, "Lease is not watched", { lock: lock.describe(), err: String(error) });
        if (isForbidden(error)) return;
        await sleep(clock, retryMs, signal).catch(() => undefined);
      }
    }
  }

  /** Resolves at the next change, at once if there was one since the last call; or after `delayMs`, or at an abort. */
  async next(delayMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#isFresh && !signal.aborted) await this.#wait(delayMs, signal);
    this.#isFresh = false;
  }

  async #wait(delayMs: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        timer.cancel();
        signal.removeEventListener("abort", wake);
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#options.clock.setTimer(delayMs, wake);
      signal.addEventListener("abort", wake, { once: true });
      this.#wake = wake;
    });
  }

  #tell(): void {
    this.#isFresh = true;
    this.#wake?.();
  }
}
