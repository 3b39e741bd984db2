import { goStruct } from "../../api/go-types.ts";
import type { Json } from "../../api/json.ts";
import type { Definition } from "../../api/schema.ts";
import { decodeWireForm } from "../../api/wire-form.ts";
import type { WrittenNumbers } from "./json-scanner.ts";
import { JsonProblems } from "./json-problems.ts";
import { unstructuredProblem } from "./unstructured-problem.ts";

/** What is wrong with a body: fields that its type does not have, and the first value that does not fit. */
export interface BodyCheck {
  readonly unknown: readonly string[];
  readonly problem: string | undefined;
}

/**
 * Reads a body, in place, as the Go type of its definition: what comes out has the form in which the server writes it.
 * Types of versions that are not stable are unknown, and their bodies stay as they are.
 */
export function checkBuiltInBody(
  draft: Json,
  definition: Definition,
  root?: string,
  numbers?: WrittenNumbers,
): BodyCheck {
  const problems = new JsonProblems(numbers);
  const type = goStruct(definition.name);
  if (type !== undefined) decodeWireForm(draft, type, problems, root === undefined ? [] : [root]);
  const { unknown, problem } = problems;
  return { unknown, problem };
}

/** The same for an object that has been merged as a tree of values, for which the server has other words. */
export function checkMergedBody(draft: Json, definition: Definition): BodyCheck {
  const check = checkBuiltInBody(draft, definition);
  const unknown = check.unknown.toSorted();
  const type = goStruct(definition.name);
  if (check.problem === undefined || type === undefined) return { unknown, problem: check.problem };
  const problem = unstructuredProblem(draft, type);
  // Without one, there were numbers that are short enough by now.
  return { unknown, problem: problem ?? checkBuiltInBody(draft, definition).problem };
}
