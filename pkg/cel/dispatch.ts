import type { FunctionOverload } from "./declarations.ts";
import { noSuchOverload } from "./operations.ts";
import type { Step } from "./run.ts";
import { matchesType } from "./type-of.ts";
import { EvaluationError, Optional, type Value } from "./values.ts";

export function alternative([first, second]: readonly Step[], unwrapped: boolean): Step {
  if (first === undefined || second === undefined) throw new Error("an alternative has two sides");
  return (run) => {
    const value = first(run);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return second(run);
    return unwrapped ? value.value : value;
  };
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

export function fail(): never {
  throw noSuchOverload();
}
