// Operators that need not look at all their sides.

import { noSuchOverload } from "./operations.ts";
import { attempt, attemptInSteps, pauses, pausing, valueOf } from "./pauses.ts";
import type { Run, Step } from "./run.ts";
import { EvaluationError, type Value } from "./values.ts";

/** Either side alone can decide, even when the other fails. */
export function logical(left: Step, right: Step, decides: boolean): Step {
  const step: Step = (run) => {
    const first = attempt(left, run);
    return first === decides ? decides : unlessEither(first, attempt(right, run), decides);
  };
  if (!pauses(left) && !pauses(right)) return step;
  return pausing(step, function* (run) {
    const first = yield* attemptInSteps(left, run);
    return first === decides ? decides : unlessEither(first, yield* attemptInSteps(right, run), decides);
  });
}

/** What is said of two sides of which the first does not decide. */
function unlessEither(
  first: Value | EvaluationError,
  second: Value | EvaluationError,
  decides: boolean,
): boolean {
  if (second === decides) return decides;
  for (const side of [first, second]) {
    if (side instanceof EvaluationError) throw side;
    if (typeof side !== "boolean") throw noSuchOverload();
  }
  return !decides;
}

export function conditional(condition: Step, ifTrue: Step, ifFalse: Step): Step {
  const branch = (value: Value): Step => {
    if (typeof value !== "boolean") throw noSuchOverload();
    return value ? ifTrue : ifFalse;
  };
  const step: Step = (run) => branch(condition(run))(run);
  if (![condition, ifTrue, ifFalse].some(pauses)) return step;
  return pausing(step, function* (run) {
    return yield* valueOf(branch(yield* valueOf(condition, run)), run);
  });
}

/** Whether a loop goes on. */
export function notStrictlyFalse(operand: Step): Step {
  const holds = (run: Run, value: Value | EvaluationError): boolean => {
    run.charge(1);
    return value !== false;
  };
  const step = (run: Run): boolean => holds(run, attempt(operand, run));
  if (!pauses(operand)) return step;
  return pausing(step, function* (run) {
    return holds(run, yield* attemptInSteps(operand, run));
  });
}
