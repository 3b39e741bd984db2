import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";

/** Full size takes minutes, and is for `STRESS=1`, in as many rounds as STRESS_ROUNDS says; otherwise a tenth of it. */
const isStressed = process.env["STRESS"] !== undefined;
export const stressRounds = isStressed ? Number(process.env["STRESS_ROUNDS"] ?? "3") : 3;

export function atFullSize(count: number): number {
  return isStressed ? count : Math.ceil(count / 10);
}

/** Does something `count` times, so many at once. */
export async function inParallel(
  count: number,
  width: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

/** Waits, however often looking fails meanwhile: the API server may be away. Gives the seconds that it took. */
export async function untilAfterAll(
  what: string,
  holds: () => Promise<boolean>,
  limitMs = 300_000,
): Promise<number> {
  const startMs = realClock.monotonicMs();
  let failure: unknown;
  for (;;) {
    try {
      if (await holds()) return Math.round((realClock.monotonicMs() - startMs) / 100) / 10;
      failure = undefined;
    } catch (error) {
      failure = error;
    }
    if (realClock.monotonicMs() - startMs > limitMs)
      throw new Error(`not within ${limitMs} ms: ${what}`, { cause: failure });
    await sleep(realClock, 250);
  }
}

export function report(line: string): void {
  console.log(line);
}
