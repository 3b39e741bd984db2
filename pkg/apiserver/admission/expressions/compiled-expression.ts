import { type Compiled, compile } from "../../../cel/compile.ts";
import type { Environment } from "../../../cel/environment.ts";
import type { Type } from "../../../cel/types.ts";

/** An expression that can be evaluated, or what is wrong with it. */
export interface CompiledExpression {
  readonly text: string;
  readonly compiled: Compiled | { readonly problem: string };
}

/** What an expression has to give; undefined: anything. */
export interface Wanted {
  readonly is: (type: Type) => boolean;
  /** As upstream writes these types. */
  readonly names: readonly string[];
}

export const wantsBool: Wanted = { is: ({ kind }) => kind === "bool", names: ["bool"] };

export function compileExpression(
  text: string,
  environment: Environment,
  wanted: Wanted | undefined,
): CompiledExpression {
  const made = compile(text, environment);
  if (typeof made === "string") return { text, compiled: { problem: failure(made) } };
  const { type } = made.checked;
  if (wanted === undefined || wanted.is(type)) return { text, compiled: made };
  const names = wanted.names.length === 1 ? wanted.names.join("") : `one of [${wanted.names.join(" ")}]`;
  return { text, compiled: { problem: `must evaluate to ${names} but got ${fullName(type)}` } };
}

export function problemOf({ compiled }: CompiledExpression): string | undefined {
  return "problem" in compiled ? compiled.problem : undefined;
}

const failure = (problem: string): string =>
  problem.startsWith("program instantiation failed") ? problem : `compilation failed: ${problem}`;

/** Unlike the checker's messages, these have the names that types have at run time. */
const fullName = ({ name, params }: Type): string =>
  params.length === 0 ? name : `${name}(${params.map(fullName).join(", ")})`;
