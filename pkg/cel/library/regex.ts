import { inOneGo, type Steps, STEP } from "../../api/steps.ts";
import { PatternError, readPattern } from "../../api/pattern.ts";
import { type FunctionOverload, overload, overloadInSteps } from "../declarations.ts";
import { ArrayList, EvaluationError, type Value } from "../values.ts";
import { asInt, asText } from "./arguments.ts";

export function matchesPattern(text: string, source: string): boolean {
  const pattern = readPattern(source);
  if (pattern instanceof PatternError) throw new EvaluationError(pattern.message, { cause: pattern });
  return pattern.matches(text);
}

/** All places where a pattern matches, at most as many as wanted. */
function* find(text: Value | undefined, source: Value | undefined, most: number): Steps<readonly string[]> {
  const pattern = readPattern(asText(source));
  if (pattern instanceof PatternError)
    throw new EvaluationError(`Illegal regex: ${pattern.message}`, { cause: pattern });
  const found: string[] = [];
  if (most === 0) return found;
  for (const one of pattern.find(asText(text))) {
    if (found.push(one) >= most) break;
    if (found.length % STEP === 0) yield;
  }
  return found;
}

export const regexOverloads: readonly FunctionOverload[] = [
  overload(
    "string_find_string",
    "(string).find(string): string",
    (text, source) => inOneGo(find(text, source, 1))[0] ?? "",
  ),
  overloadInSteps(
    "string_find_all_string",
    "(string).findAll(string): list(string)",
    function* (text, source) {
      return new ArrayList(yield* find(text, source, Infinity));
    },
  ),
  overloadInSteps(
    "string_find_all_string_int",
    "(string).findAll(string, int): list(string)",
    function* (text, source, most) {
      const limit = Number(asInt(most));
      return new ArrayList(yield* find(text, source, limit < 0 ? Infinity : limit));
    },
  ),
];
