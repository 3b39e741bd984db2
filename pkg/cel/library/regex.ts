import { PatternError, readPattern } from "../../api/pattern.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { ArrayList, EvaluationError, type Value } from "../values.ts";
import { asInt, asText } from "./arguments.ts";

export function matchesPattern(text: string, source: string): boolean {
  const pattern = readPattern(source);
  if (pattern instanceof PatternError) throw new EvaluationError(pattern.message, { cause: pattern });
  return pattern.matches(text);
}

/** All places where a pattern matches, at most as many as wanted. */
function find(text: Value | undefined, source: Value | undefined, most: number): readonly string[] {
  const pattern = readPattern(asText(source));
  if (pattern instanceof PatternError)
    throw new EvaluationError(`Illegal regex: ${pattern.message}`, { cause: pattern });
  return pattern.findAll(asText(text), most);
}

export const regexOverloads: readonly FunctionOverload[] = [
  overload(
    "string_find_string",
    "(string).find(string): string",
    (text, source) => find(text, source, 1)[0] ?? "",
  ),
  overload(
    "string_find_all_string",
    "(string).findAll(string): list(string)",
    (text, source) => new ArrayList(find(text, source, Infinity)),
  ),
  overload(
    "string_find_all_string_int",
    "(string).findAll(string, int): list(string)",
    (text, source, most) => {
      const limit = Number(asInt(most));
      return new ArrayList(find(text, source, limit < 0 ? Infinity : limit));
    },
  ),
];
