import type { Clock, Timer } from "../clock/clock.ts";

/** Whether this process may write now. */
export interface WriteGate {
  canWrite(): boolean;
  /** Aborts soon after writing ended; from that end on there is another signal, for when it begins again. */
  readonly signal: AbortSignal;
}

/** For programs that run without an election. */
export const openGate: WriteGate = { canWrite: () => true, signal: new AbortController().signal };

/** A write was refused or broken off because this process does not hold its lease, or cannot know that it does. */
export class FencedError extends Error {
  readonly code = "Fenced";
  /** False: the server cannot have heard of the write. */
  readonly sent: boolean;
  constructor(message: string, sent: boolean) {
    super(`${message}: this process does not hold the leader lease`);
    this.name = "FencedError";
    this.sent = sent;
  }
}

/**
 * Keeps a process that may have lost its lease from writing, without asking anybody.
 *
 * Why this holds: another candidate takes over no earlier than one lease duration, on its clock, after it saw our last
 * renewal, and it cannot have seen that before we began to send it. So writing ends `holdMs` after the *beginning* of
 * the last renewal that is known to have succeeded, and holdMs is less than the lease duration. With the defaults
 * (lease 15 s, renew deadline 10 s = holdMs) 5 s remain for requests under way and for clocks that differ in rate.
 *
 * Time is taken from both clocks and the longer span counts: the monotonic clock is immune to a wall clock set back,
 * the wall clock goes on where a suspended machine stops the monotonic one. A wall clock set forward closes the gate
 * until the next renewal, which is harmless.
 */
export class LeaseFence implements WriteGate {
  readonly #clock: Clock;
  readonly #holdMs: number;
  #writing = new AbortController();
  #renewed: Instant | undefined;
  #timer: Timer | undefined;

  constructor(clock: Clock, holdMs: number) {
    this.#clock = clock;
    this.#holdMs = holdMs;
  }

  get signal(): AbortSignal {
    return this.#writing.signal;
  }

  canWrite(): boolean {
    if (this.#renewed === undefined) return false;
    return elapsedMs(this.#clock, this.#renewed) < this.#holdMs;
  }

  /** The lease is ours by a request that was begun at `startedAt`. */
  renewed(startedAt: Instant): void {
    this.#renewed = startedAt;
    this.#timer?.cancel();
    const leftMs = this.#holdMs - (this.#clock.monotonicMs() - startedAt.monotonicMs);
    this.#timer = this.#clock.setTimer(leftMs, () => this.#breakOff());
  }

  /** The lease is not ours, or about to be given up. */
  close(): void {
    this.#timer?.cancel();
    this.#renewed = undefined;
    this.#breakOff();
  }

  /**
   * In a later turn, when everything that was handed to a connection in this one has left the process: Node loses an
   * HTTP/2 session whose stream is reset before its first frame was sent.
   */
  #breakOff(): void {
    const writing = this.#writing;
    void this.#clock
      .turn()
      .then(() =>
        writing.abort(new FencedError("writes under way are broken off, their effect is unknown", true)),
      );
    this.#writing = new AbortController();
  }
}

/** A moment on both clocks. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function instantOf(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() };
}

/** The longer of the two spans since then. */
function elapsedMs(clock: Clock, since: Instant): number {
  return Math.max(clock.monotonicMs() - since.monotonicMs, clock.nowMs() - since.wallMs);
}
