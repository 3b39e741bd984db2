import { EvaluationError, type Value } from "./values.ts";

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

export class Run {
  readonly slots: (Value | EvaluationError)[] = [];
  cost = 0;

  readonly variables: Variables;
  readonly limit: number;

  constructor(variables: Variables, limit: number) {
    this.variables = variables;
    this.limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw new CostLimitError();
  }
}

export type Step = (run: Run) => Value;

export function attempt(step: Step, run: Run): Value | EvaluationError {
  try {
    return step(run);
  } catch (error) {
    if (error instanceof EvaluationError) return error;
    throw error;
  }
}
