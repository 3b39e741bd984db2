import type { Clock } from "../../../pkg/clock/clock.ts";

/** What happened, in order: one line for each thing that somebody did, and why. The same seed gives the same lines. */
export class Trace {
  readonly lines: string[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(actor: string, action: string, reason = ""): void {
    const atS = (this.#clock.monotonicMs() / 1_000).toFixed(3).padStart(10);
    this.lines.push(`${atS}  ${actor.padEnd(10)}  ${action}${reason === "" ? "" : `  (${reason})`}`);
  }
}
