import { inOneGo, type Steps } from "../../../api/steps.ts";
import { CostLimitError, EvaluationError, type MapValue, type Value } from "../../../cel/index.ts";
import { variablesType } from "../../../cel/types.ts";
import type { CompiledExpression } from "./compiled-expression.ts";

/** What one expression may cost. */
const PER_EXPRESSION = 1_000_000;

/** What the validations of one policy may cost together, and again its messages with what they leave. */
export const POLICY_BUDGET = 10_000_000;
/** What conditions may cost together. */
export const CONDITIONS_BUDGET = 2_500_000;

/** Nothing of an evaluation counts then. */
export class OutOfBudgetError extends Error {
  readonly code = "CelOutOfBudget";
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run");
  }
}

export type Evaluated = { readonly value: Value } | { readonly problem: string };

export interface EvaluationInput {
  readonly values: ReadonlyMap<string, Value>;
  /** By name: what expressions may ask for below `variables`. */
  readonly variables: ReadonlyMap<string, CompiledExpression>;
}

/** Evaluates expressions about one thing, within a budget that they share. */
export class Evaluation {
  readonly #values: ReadonlyMap<string, Value>;
  #left: number;
  /** Of variables, since the last expression began. */
  #spentOnVariables = 0;

  constructor({ values, variables }: EvaluationInput, budget: number) {
    this.#values = new Map([...values, ["variables", this.#lazyVariables(variables)]]);
    this.#left = budget;
  }

  get left(): number {
    return this.#left;
  }

  /** Throws an OutOfBudgetError. */
  *evaluate({ text, compiled }: CompiledExpression): Steps<Evaluated> {
    if ("problem" in compiled) return { problem: `compilation error: ${compiled.problem}` };
    const spent = { cost: 0 };
    this.#spentOnVariables = 0;
    const evaluated = yield* this.#run(text, compiled.inSteps(this.#lookUp, PER_EXPRESSION, spent));
    this.#left -= this.#spentOnVariables + spent.cost;
    if (this.#left < 0) throw new OutOfBudgetError();
    return evaluated;
  }

  *#run(text: string, steps: Steps<{ readonly value: Value }>): Steps<Evaluated> {
    try {
      const { value } = yield* steps;
      return { value };
    } catch (error) {
      if (!isEvaluationProblem(error)) throw error;
      return { problem: `expression '${text}' resulted in error: ${error.message}` };
    }
  }

  readonly #lookUp = (name: string): Value | undefined => this.#values.get(name);

  /** Each is evaluated when it is first asked for, and once. */
  #lazyVariables(variables: ReadonlyMap<string, CompiledExpression>): MapValue {
    const known = new Map<string, Value | EvaluationError>();
    const prepare = (name: string): Steps<void> => this.#evaluateOnce(name, variables.get(name), known);
    return {
      kind: "map",
      type: variablesType,
      size: variables.size,
      keys: () => variables.keys(),
      prepare,
      get: (name) => {
        if (typeof name !== "string") return undefined;
        inOneGo(prepare(name));
        const value = known.get(name);
        if (value instanceof EvaluationError) throw value;
        return value;
      },
    };
  }

  *#evaluateOnce(
    name: string,
    variable: CompiledExpression | undefined,
    known: Map<string, Value | EvaluationError>,
  ): Steps<void> {
    if (variable !== undefined && !known.has(name)) known.set(name, yield* this.#variable(name, variable));
  }

  *#variable(name: string, { compiled }: CompiledExpression): Steps<Value | EvaluationError> {
    const quoted = JSON.stringify(name);
    if ("problem" in compiled)
      return new EvaluationError(`composited variable ${quoted} fails to compile: ${compiled.problem}`);
    const spent = { cost: 0 };
    try {
      const { value } = yield* compiled.inSteps(this.#lookUp, PER_EXPRESSION, spent);
      return value;
    } catch (error) {
      if (!isEvaluationProblem(error)) throw error;
      const problem = `composited variable ${quoted} fails to evaluate: ${error.message}`;
      return new EvaluationError(problem, { cause: error });
    } finally {
      this.#spentOnVariables += spent.cost;
    }
  }
}

function isEvaluationProblem(error: unknown): error is EvaluationError | CostLimitError {
  return error instanceof EvaluationError || error instanceof CostLimitError;
}
