import type { FunctionOverload } from "./declarations.ts";
import { noSuchOverload } from "./operations.ts";
import { attempt, pauses, pausing, strict, valueOf } from "./pauses.ts";
import type { Run, Step } from "./run.ts";
import type { CallCost } from "./runtime-cost.ts";
import { matchesType } from "./type-of.ts";
import { EvaluationError, Optional, type Value } from "./values.ts";

export function alternative([first, second]: readonly Step[], unwrapped: boolean): Step {
  if (first === undefined || second === undefined) throw new Error("an alternative has two sides");
  const given = (value: Value): Value | undefined => {
    if (!(value instanceof Optional)) throw noSuchOverload();
    return value.value === undefined || unwrapped ? value.value : value;
  };
  const step: Step = (run) => {
    const value = given(first(run));
    return value === undefined ? second(run) : value;
  };
  if (!pauses(first) && !pauses(second)) return step;
  return pausing(step, function* (run) {
    const value = given(yield* valueOf(first, run));
    return value === undefined ? yield* valueOf(second, run) : value;
  });
}

export function chosen(overloads: readonly FunctionOverload[], values: readonly Value[]): FunctionOverload {
  const found = overloads.find(({ args }) =>
    args.every((type, at) => {
      const value = values[at];
      return value !== undefined && matchesType(value, type);
    }),
  );
  if (found !== undefined) return found;
  const name = overloads[0]?.name ?? "";
  throw name.startsWith("_") ? noSuchOverload() : new EvaluationError(`no such overload: ${name}`);
}

/** A call of a function, which pauses afterwards where that is wanted. */
export function calling(
  overloads: readonly FunctionOverload[],
  operands: readonly Step[],
  cost: CallCost,
  thenPauses: boolean,
): Step {
  const combine = cost.isOfResult
    ? (run: Run, values: readonly Value[]): Value => {
        const result = attempt(() => call(overloads, values), run);
        const failed = result instanceof EvaluationError;
        // What fails has been tried all the same.
        run.charge(cost.of(values, failed ? null : result));
        if (failed) throw result;
        run.noteSizes(result, null);
        return result;
      }
    : (run: Run, values: readonly Value[]): Value => {
        // What is too dear is not even tried.
        run.charge(cost.of(values, null));
        run.noteSizes(values[0], values[1]);
        return call(overloads, values);
      };
  const step = strict(operands, combine, thenPauses);
  if (overloads.every(({ inSteps }) => inSteps === undefined)) return step;
  return pausing(step, function* (run) {
    const values: Value[] = [];
    for (const operand of operands) values.push(yield* valueOf(operand, run));
    run.charge(cost.of(values, null));
    const { inSteps } = chosen(overloads, values);
    return inSteps === undefined ? call(overloads, values) : yield* inSteps(...values);
  });
}

function call(overloads: readonly FunctionOverload[], values: readonly Value[]): Value {
  const result = chosen(overloads, values).call?.(...values);
  if (result === undefined) throw noSuchOverload();
  return result;
}
