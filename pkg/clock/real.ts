import type { Clock, Timer } from "./clock.ts";
import type { Random } from "./random.ts";
import { TurnLine } from "./turn-line.ts";

/** setTimeout takes at most 2^31-1 ms; longer delays are served in steps. */
const LONGEST_STEP_MS = 2 ** 31 - 1;

/** One event loop, one order of turns. */
const turns = new TurnLine({
  monotonicMs: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
});

export const realClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer,
  turn: () => turns.next(),
};

/** Of the process: where nobody says otherwise. */
export const realEnvironment: Readonly<Record<string, string | undefined>> = process.env;

export const realRandom: Random = { next: () => Math.random() };

function setTimer(delayMs: number, callback: () => void): Timer {
  const dueMs = performance.now() + Math.max(0, delayMs);
  let handle: NodeJS.Timeout;
  const arm = (): void => {
    // setTimeout may fire a fraction of a millisecond early, hence the ceil and the check.
    const leftMs = Math.ceil(dueMs - performance.now());
    if (leftMs <= 0) callback();
    else handle = setTimeout(arm, Math.min(leftMs, LONGEST_STEP_MS));
  };
  handle = setTimeout(arm, Math.min(Math.ceil(Math.max(0, delayMs)), LONGEST_STEP_MS));
  return { cancel: () => clearTimeout(handle) };
}
