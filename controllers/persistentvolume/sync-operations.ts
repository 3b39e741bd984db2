import { messageOf } from "../../pkg/api/errors.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Logger } from "../../pkg/log/logger.ts";

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 122_000;

export interface OperationOptions {
  /** Of what is done to which object; one of a name runs at a time. */
  readonly name: string;
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Asks for the operation again after so long. */
  readonly again: (afterMs: number) => void;
  /** How long the first failure is waited after. */
  readonly firstDelayMs?: number;
}

interface Failure {
  readonly delayMs: number;
  readonly untilMs: number;
}

/**
 * What takes longer than a worker should be busy with one key: directories, pods that scrub volumes. After a failure the
 * next try waits, longer each time.
 * upstream: pkg/util/goroutinemap
 */
export class Operations {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Map<string, Promise<void>>();
  readonly #failures = new Map<string, Failure>();
  /** Asked for while they ran: what they have seen may be out of date. */
  readonly #askedAgain = new Set<string>();
  #signal: AbortSignal | undefined;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Operations can be started from now on. Resolves when the signal has aborted and the last of them has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    if (!signal.aborted)
      await new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    await Promise.all(this.#running.values());
  }

  start(options: OperationOptions): void {
    const { name, again } = options;
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    if (this.#running.has(name)) {
      this.#askedAgain.add(name);
      return;
    }
    const leftMs = (this.#failures.get(name)?.untilMs ?? 0) - this.#clock.monotonicMs();
    if (leftMs > 0) return again(leftMs);
    this.#running.set(name, this.#run(options, signal));
  }

  /** What it has failed at does not count any more: its object is gone. */
  forget(name: string): void {
    this.#failures.delete(name);
  }

  async #run({ name, work, again, firstDelayMs }: OperationOptions, signal: AbortSignal): Promise<void> {
    try {
      await work(signal);
      this.#failures.delete(name);
      this.#running.delete(name);
      if (this.#askedAgain.delete(name)) again(0);
    } catch (error) {
      this.#running.delete(name);
      this.#askedAgain.delete(name);
      if (signal.aborted) return;
      const before = this.#failures.get(name)?.delayMs;
      const delayMs =
        before === undefined ? (firstDelayMs ?? FIRST_DELAY_MS) : Math.min(2 * before, LONGEST_DELAY_MS);
      this.#failures.set(name, { delayMs, untilMs: this.#clock.monotonicMs() + delayMs });
      this.#log.warn("An operation failed, and is tried again", {
        operation: name,
        error: messageOf(error),
        delayMs,
      });
      again(delayMs);
    }
  }
}
