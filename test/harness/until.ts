import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";

/** Asks until the answer is yes and returns how long that took; throws `what` when it does not happen in time. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 120_000,
  pollMs = 20,
): Promise<number> {
  const startMs = realClock.monotonicMs();
  while (!(await condition())) {
    if (realClock.monotonicMs() - startMs > limitMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await sleep(realClock, pollMs);
  }
  return realClock.monotonicMs() - startMs;
}
