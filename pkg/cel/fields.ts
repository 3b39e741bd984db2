import { type Expr, operators } from "./ast.ts";
import { lookUp, noSuchOverload, showKey } from "./operations.ts";
import { EvaluationError, isMap, Optional, type Value } from "./values.ts";

/** A step costs one, and so does the first step into what is no variable. */
export function accessCost(operand: Expr): number {
  if (operand.kind === "ident" || (operand.kind === "select" && !operand.testOnly)) return 1;
  return operand.kind === "call" && accessors.has(operand.name) ? 1 : 2;
}

const accessors: ReadonlySet<string> = new Set([
  operators.index,
  operators.optionalIndex,
  operators.optionalSelect,
  operators.conditional,
]);

export function valuesOf(value: Value): readonly Value[] {
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value.value === undefined ? [] : [value.value];
}

export function fieldOf(value: Value, field: string): Value {
  const found = lookUp(value, field);
  if (found === undefined) throw new EvaluationError(`no such key: ${showKey(field)}`);
  return found;
}

export function fieldOfOptional({ value }: Optional, field: string): Optional {
  return value === undefined || !isMap(value) ? Optional.none : new Optional(value.get(field));
}

export function hasField(value: Value, field: string): boolean {
  const inner = value instanceof Optional ? value.value : value;
  return inner !== undefined && lookUp(inner, field) !== undefined;
}
