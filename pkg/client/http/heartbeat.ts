import type { Clock, Timer } from "../../clock/clock.ts";

/** How often an HTTP/2 connection is pinged: more often than it is looked at, so that a look always finds an answer. */
export const PING_INTERVAL_MS = 1_500;
const LOOK_INTERVAL_MS = 2_000;
/** Looks in a row without a new byte after which the peer counts as dead: found within 8 s. */
const SILENT_LOOKS = 3;

/**
 * Watches the bytes that come in on one connection. The peer answers pings as long as it runs at all, so silence means
 * that it is dead, frozen, or cut off, which TCP by itself notices after minutes or never.
 * It looks only while started (the connection has requests in flight).
 */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #bytesRead: () => number;
  readonly #onSilence: () => void;
  #timer: Timer | undefined;
  #lastBytes = 0;
  #silentLooks = 0;

  constructor(clock: Clock, bytesRead: () => number, onSilence: () => void) {
    this.#clock = clock;
    this.#bytesRead = bytesRead;
    this.#onSilence = onSilence;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#silentLooks = 0;
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    const dueMs = this.#clock.monotonicMs() + LOOK_INTERVAL_MS;
    this.#timer = this.#clock.setTimer(LOOK_INTERVAL_MS, () => this.#look(dueMs));
  }

  #look(dueMs: number): void {
    const bytes = this.#bytesRead();
    const heard = bytes !== this.#lastBytes;
    // A late look means that this process was busy or stopped: its own deafness proves nothing about the peer.
    const late = this.#clock.monotonicMs() - dueMs > LOOK_INTERVAL_MS / 2;
    this.#lastBytes = bytes;
    this.#silentLooks = heard || late ? 0 : this.#silentLooks + 1;
    if (this.#silentLooks < SILENT_LOOKS) {
      this.#schedule();
      return;
    }
    this.#timer = undefined;
    this.#onSilence();
  }
}
