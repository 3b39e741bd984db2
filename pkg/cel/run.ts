import type { Steps } from "../api/steps.ts";
import type { EvaluationError, Value } from "./values.ts";

/** The limit of what an evaluation may cost; no operator goes on without it. */
export class CostLimitError extends Error {
  readonly code = "CelCostLimitExceeded";
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

export interface Outcome {
  readonly value: Value;
  readonly cost: number;
}

/** What variables are there; undefined for those that have no value. */
export type Variables = (name: string) => Value | undefined;

/** A loop pauses after so much, or so many times, or when it has had to do with what is large. */
const PAUSE_COST = 1_000;
const PAUSE_COUNT = 16;
/** Of a text, what is large. */
const MANY_LETTERS = 1_000;

export class Run {
  readonly slots: (Value | EvaluationError)[] = [];
  cost = 0;

  readonly variables: Variables;
  readonly limit: number;
  #pauseAt = PAUSE_COST;
  #count = 0;

  constructor(variables: Variables, limit: number) {
    this.variables = variables;
    this.limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitError();
  }

  /** What the operands of a function cost does not tell how long it takes: lists are compared with all that is in them. */
  noteSizes(first: Value | undefined, second: Value | undefined): void {
    if (isLarge(first) || isLarge(second)) this.#count = PAUSE_COUNT;
  }

  /** To be asked once in each round of a loop. */
  shouldPause(): boolean {
    this.#count++;
    if (this.cost < this.#pauseAt && this.#count < PAUSE_COUNT) return false;
    this.#pauseAt = this.cost + PAUSE_COST;
    this.#count = 0;
    return true;
  }
}

const isLarge = (value: Value | undefined): boolean =>
  typeof value === "string" ? value.length > MANY_LETTERS : typeof value === "object" && value !== null;

/** A part of an expression, as a function. */
export interface Step {
  (run: Run): Value;
  /** The same with pauses; undefined where it does not take long. */
  readonly inSteps?: (run: Run) => Steps<Value>;
}
