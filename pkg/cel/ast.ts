import type { Value } from "./values.ts";

interface Node {
  /** Where it stands in the source, in code points. */
  readonly offset: number;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: Value;
}

export interface Ident extends Node {
  readonly kind: "ident";
  readonly name: string;
}

export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** Whether only presence is asked for: has(a.b). */
  readonly testOnly: boolean;
}

export interface Call extends Node {
  readonly kind: "call";
  readonly name: string;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export interface ListLiteral extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Places of elements that are left out where there is no value: [?a]. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapLiteral extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

export interface StructField extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructLiteral extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** A loop over a range, which macros become. */
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  readonly secondVariable: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

/** The name of the variable that a loop adds up in; it cannot be written. */
export const accumulatorName = "@result";

export const operators = {
  add: "_+_",
  and: "_&&_",
  conditional: "_?_:_",
  divide: "_/_",
  equals: "_==_",
  greater: "_>_",
  greaterEquals: "_>=_",
  in: "@in",
  index: "_[_]",
  less: "_<_",
  lessEquals: "_<=_",
  modulo: "_%_",
  multiply: "_*_",
  negate: "-_",
  not: "!_",
  notEquals: "_!=_",
  notStrictlyFalse: "@not_strictly_false",
  optionalIndex: "_[?_]",
  optionalSelect: "_?._",
  or: "_||_",
  subtract: "_-_",
} as const;

/** a.b.c as one name, where it is only names. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.testOnly) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
