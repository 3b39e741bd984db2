// Literals whose mistakes show before anything is evaluated.

import { PatternError, readPattern } from "../api/pattern.ts";
import type { Call, Expr } from "./ast.ts";
import type { Checked } from "./check.ts";
import { toDuration, toTimestamp } from "./conversions.ts";
import { formatProblem } from "./library/format-string.ts";
import type { Issue } from "./source.ts";
import { dynType, formatType, sameType, unwrapOptional } from "./types.ts";
import { EvaluationError, type Value } from "./values.ts";

const conversions: Readonly<Record<string, (value: Value) => Value>> = {
  duration: toDuration,
  timestamp: toTimestamp,
};

/** What is wrong with literals that the types let pass. */
export function literalIssues(checked: Checked): readonly Issue[] {
  return [...textIssues(checked), ...mixtureIssues(checked, checked.expr), ...formatCallIssues(checked)];
}

/** Elements of several types, but for those that are formatted. */
function mixtureIssues(checked: Checked, expr: Expr): readonly Issue[] {
  if (expr.kind === "call" && expr.name === "format") return [];
  const inner = partsOf(expr).flatMap((part) => mixtureIssues(checked, part));
  if (expr.kind === "list") {
    const elements = expr.elements.map((element, at) => ({
      expr: element,
      optional: expr.optionals.has(at),
    }));
    return [...mixture(checked, elements).slice(0, 1), ...inner];
  }
  if (expr.kind !== "map") return inner;
  const keys = expr.entries.map(({ key }) => ({ expr: key, optional: false }));
  const values = expr.entries.map(({ value, optional }) => ({ expr: value, optional }));
  return [...mixture(checked, keys), ...mixture(checked, values), ...inner];
}

/** Those whose type is not that of the first one. */
function mixture(
  { typeOf }: Checked,
  parts: readonly { readonly expr: Expr; readonly optional: boolean }[],
): readonly Issue[] {
  const types = parts.map(({ expr, optional }) =>
    optional ? (unwrapOptional(typeOf(expr)) ?? dynType) : typeOf(expr),
  );
  const [expected] = types;
  if (expected === undefined) return [];
  return parts.flatMap(({ expr }, at) => {
    const type = types[at] ?? expected;
    if (sameType(type, expected)) return [];
    const message = `expected type '${formatType(expected)}' but found '${formatType(type)}'`;
    return [{ offset: expr.offset, message }];
  });
}

function formatCallIssues({ expr, typeOf }: Checked): readonly Issue[] {
  return [...callsIn(expr)].flatMap(({ name, target, args, offset }) => {
    const [list] = args;
    if (name !== "format" || target?.kind !== "literal" || typeof target.value !== "string") return [];
    if (list?.kind !== "list" || args.length !== 1) return [];
    const problem = formatProblem(target.value, list.elements.map(typeOf));
    if (problem === undefined) return [];
    const place = problem.argument === undefined ? undefined : list.elements[problem.argument];
    return [{ offset: place?.offset ?? offset, message: problem.message }];
  });
}

/** Texts that stand for durations, times and patterns. */
function textIssues({ expr }: Checked): readonly Issue[] {
  const issues: Issue[] = [];
  for (const call of callsIn(expr)) {
    const operands = call.target === undefined ? call.args : [call.target, ...call.args];
    const literal = operands[call.name === "matches" ? 1 : 0];
    if (literal?.kind !== "literal" || typeof literal.value !== "string") continue;
    if (isWrong(call, literal.value))
      issues.push({ offset: literal.offset, message: `invalid ${call.name} argument` });
  }
  return issues;
}

/** The first pattern to be found that is none. upstream: apiserver/pkg/cel/library/regex.go#FindRegexOptimization */
export function wrongPattern({ expr }: Checked): string | undefined {
  for (const { name, args } of callsIn(expr)) {
    const [literal] = args;
    if (name !== "find" && name !== "findAll") continue;
    if (literal?.kind !== "literal" || typeof literal.value !== "string") continue;
    const pattern = readPattern(literal.value);
    if (pattern instanceof PatternError) return pattern.message;
  }
  return undefined;
}

function isWrong({ name, args }: Call, text: string): boolean {
  if (name === "matches") return readPattern(text) instanceof PatternError;
  const convert = Object.hasOwn(conversions, name) && args.length === 1 ? conversions[name] : undefined;
  if (convert === undefined) return false;
  try {
    convert(text);
    return false;
  } catch (error) {
    if (error instanceof EvaluationError) return true;
    throw error;
  }
}

function* callsIn(expr: Expr): Generator<Call> {
  if (expr.kind === "call") yield expr;
  for (const part of partsOf(expr)) yield* callsIn(part);
}

export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case "list":
      return expr.elements;
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
    default:
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
