import type { Clock, Timer } from "../../clock/clock.ts";
import { DeadlineError, withDeadline } from "../../clock/wait.ts";

const INTERVAL_MS = 3_000;
const LIMIT_MS = 5_000;

/**
 * Finds a dead peer where connections have no pings (HTTP/1.1): while there are requests in flight, a small request
 * on a connection of its own must be answered in time.
 */
export class PeerProbe {
  readonly #clock: Clock;
  readonly #busy: () => boolean;
  readonly #ask: (signal: AbortSignal) => Promise<void>;
  readonly #onSilence: () => void;
  #timer: Timer | undefined;
  #asking = false;

  constructor(
    clock: Clock,
    busy: () => boolean,
    ask: (signal: AbortSignal) => Promise<void>,
    onSilence: () => void,
  ) {
    this.#clock = clock;
    this.#busy = busy;
    this.#ask = ask;
    this.#onSilence = onSilence;
  }

  start(): void {
    if (this.#timer !== undefined || this.#asking) return;
    this.#timer = this.#clock.setTimer(INTERVAL_MS, () => {
      this.#timer = undefined;
      if (this.#busy()) void this.#probe();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  async #probe(): Promise<void> {
    this.#asking = true;
    try {
      await withDeadline(this.#clock, LIMIT_MS, "the probe of the API server", this.#ask);
    } catch (failure) {
      // A refused or broken connection is no silence: those in flight will hear of it themselves.
      if (failure instanceof DeadlineError) this.#onSilence();
    } finally {
      this.#asking = false;
    }
    if (this.#busy()) this.start();
  }
}
