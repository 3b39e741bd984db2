// How parts of an expression are put together, so that a long evaluation can pause.

import type { Steps } from "../api/steps.ts";
import type { Run, Step } from "./run.ts";
import { EvaluationError, type Value } from "./values.ts";

export const pausing = (step: (run: Run) => Value, inSteps: (run: Run) => Steps<Value>): Step =>
  Object.assign(step, { inSteps });

export const pauses = ({ inSteps }: Step): boolean => inSteps !== undefined;

export function* valueOf(step: Step, run: Run): Steps<Value> {
  return step.inSteps === undefined ? step(run) : yield* step.inSteps(run);
}

export function attempt(step: (run: Run) => Value, run: Run): Value | EvaluationError {
  try {
    return step(run);
  } catch (error) {
    return failureOf(error);
  }
}

export function* attemptInSteps(step: Step, run: Run): Steps<Value | EvaluationError> {
  try {
    return yield* valueOf(step, run);
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): EvaluationError {
  if (error instanceof EvaluationError) return error;
  throw error;
}

/** A step that begins with its operand. */
export function unary(operand: Step, combine: (run: Run, value: Value) => Value): Step {
  const step = (run: Run): Value => combine(run, operand(run));
  const { inSteps } = operand;
  if (inSteps === undefined) return step;
  return pausing(step, function* (run) {
    return combine(run, yield* inSteps(run));
  });
}

/** A step that begins with all its operands, in their order. `thenPauses`: it may take long itself. */
export function strict(
  operands: readonly Step[],
  combine: (run: Run, values: readonly Value[]) => Value,
  thenPauses = false,
): Step {
  const step = inOrder(operands, combine);
  if (!thenPauses && !operands.some(pauses)) return step;
  return pausing(step, function* (run) {
    const values: Value[] = [];
    for (const operand of operands) values.push(yield* valueOf(operand, run));
    const value = combine(run, values);
    if (thenPauses) yield;
    return value;
  });
}

function inOrder(
  operands: readonly Step[],
  combine: (run: Run, values: readonly Value[]) => Value,
): (run: Run) => Value {
  const [first, second, ...more] = operands;
  if (first !== undefined && second === undefined) return (run) => combine(run, [first(run)]);
  if (first !== undefined && second !== undefined && more.length === 0)
    return (run) => combine(run, [first(run), second(run)]);
  return (run) =>
    combine(
      run,
      operands.map((operand) => operand(run)),
    );
}
