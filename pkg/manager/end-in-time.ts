import type { Clock, Timer } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import type { ControllerSet } from "../controller/controller-set.ts";

export interface EndInTimeParts {
  /** What the controllers have for their end after an abort; 0: as long as it takes. */
  readonly limitMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs the set. Resolves to whether it has ended within its time after the abort. */
export async function endInTime(
  set: Pick<ControllerSet, "run" | "stillRunning">,
  { limitMs, clock, log }: EndInTimeParts,
  signal: AbortSignal,
): Promise<boolean> {
  let expire = (): void => undefined;
  const expired = new Promise<false>((resolve) => {
    expire = () => resolve(false);
  });
  let timer: Timer | undefined;
  const onAbort = (): void => {
    if (limitMs > 0) timer = clock.setTimer(limitMs, expire);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const ended = set.run(signal).then(() => true);
  let clean: boolean;
  try {
    clean = await Promise.race([ended, expired]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // A process with a timer goes on, though all of its work has ended.
    timer?.cancel();
  }
  if (!clean) {
    log.error(undefined, "Controller shutdown timeout reached", { controllers: set.stillRunning() });
    ended.catch((error: unknown) => log.error(error, "A controller failed after the shutdown timeout"));
  }
  return clean;
}
