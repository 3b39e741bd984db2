import type { Clock } from "./clock.ts";

/** What is told of tasks that fail, beside their owners. */
interface FailureLog {
  error(error: unknown, message: string): void;
}

/** What a step of a task gives. Both are made once: tasks that carry events begin and end with each of them. */
export interface Step {
  /** The task has ended. */
  readonly done: boolean;
}
export const GOING_ON: Step = Object.freeze({ done: false });
export const ENDED: Step = Object.freeze({ done: true });

export interface Task {
  /** Takes the next step. */
  next(): Step;
  /** A step has thrown, and so the task has ended. */
  failed(error: unknown): void;
}

/** Of all tasks together, between two turns of the event loop. */
const LONGEST_RUN_MS = 5;
const LONGEST_SHARE_MS = 1;
/** Most steps take less than a look at the clock. */
const MOST_STEPS_BETWEEN_LOOKS = 8;
/** On a virtual clock no time passes during work, and the steps have to do as a measure. */
const MOST_STEPS_IN_SHARE = 512;
const MOST_SHARES_IN_RUN = 16;

/**
 * Runs tasks in turn, each for a short share, and lets the event loop have its turn in between. So a long burst
 * stalls nothing else in the process, and a slow task holds up no other one.
 */
export class TaskTurns {
  readonly #clock: Clock;
  readonly #log: FailureLog;
  readonly #tasks: Task[] = [];
  #running = false;

  constructor(clock: Clock, log: FailureLog) {
    this.#clock = clock;
    this.#log = log;
  }

  /** The task begins in a microtask, never before this call returns. It may be started again once it has ended. */
  start(task: Task): void {
    this.#tasks.push(task);
    if (this.#running) return;
    this.#running = true;
    void Promise.resolve().then(this.#run);
  }

  readonly #run = async (): Promise<void> => {
    let nowMs = this.#clock.monotonicMs();
    let endMs = nowMs + LONGEST_RUN_MS;
    let shares = 0;
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) {
      if (!this.#share(task, nowMs)) this.#tasks.push(task);
      shares++;
      nowMs = this.#clock.monotonicMs();
      if (shares < MOST_SHARES_IN_RUN && nowMs < endMs) continue;
      await this.#clock.turn();
      nowMs = this.#clock.monotonicMs();
      endMs = nowMs + LONGEST_RUN_MS;
      shares = 0;
    }
    this.#running = false;
  };

  /** Returns true once the task has ended. */
  #share(task: Task, startMs: number): boolean {
    const endMs = startMs + LONGEST_SHARE_MS;
    try {
      let nextLook = 1;
      for (let step = 1; step <= MOST_STEPS_IN_SHARE; step++) {
        if (task.next().done) return true;
        if (step < nextLook) continue;
        if (this.#clock.monotonicMs() >= endMs) break;
        // Seldom, where steps are short, but after each of the first ones, as they may be long.
        nextLook = Math.min(2 * step, step + MOST_STEPS_BETWEEN_LOOKS);
      }
      return false;
    } catch (error) {
      this.#log.error(error, "A task failed");
      task.failed(error);
      return true;
    }
  }
}
