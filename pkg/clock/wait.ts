import type { Clock } from "./clock.ts";

/** Resolves after `delayMs`; rejects with the signal's reason as soon as that aborts. */
export async function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = clock.setTimer(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

export class DeadlineError extends Error {
  readonly code = "DeadlineExceeded";
  constructor(limitMs: number, what: string) {
    super(`${what} took longer than ${limitMs} ms`);
    this.name = "DeadlineError";
  }
}

export interface Deadline {
  readonly limitMs: number;
  /** What must be done by then, as the error names it. */
  readonly what: string;
}

/** Runs `work` under a signal that aborts with the caller's or, with a DeadlineError, after `limitMs`. */
export async function withDeadline<T>(
  clock: Clock,
  { limitMs, what }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", onAbort, { once: true });
  const timer = clock.setTimer(limitMs, () => controller.abort(new DeadlineError(limitMs, what)));
  try {
    return await work(controller.signal);
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}
