import { copyJson } from "../../api/json-copy.ts";
import { isJson, type Json, text } from "../../api/json.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { Steps } from "../../api/steps.ts";
import { compareStrings } from "../apply/path-element.ts";
import type { BodyCheck } from "../decode/check-body.ts";
import { goValue } from "../../api/go-value.ts";
import { interpret, UnreadableBody } from "../decode/json-body.ts";
import type { WrittenNumbers } from "../decode/json-scanner.ts";
import type { Draft } from "../kinds/kind.ts";
import { wrongKind } from "./draft.ts";
import type { WriteQuery } from "./query-options.ts";
import type { BodySchema, ServedResource } from "./served-resource.ts";
import { invalid } from "./status-error.ts";

export type PatchType = "apply" | "json" | "merge" | "strategic";

interface Patched {
  /** What the patch has made of the object. */
  readonly patched: unknown;
  readonly type: PatchType;
  readonly patch: unknown;
  /** What is odd about the patch itself, to be told as unknown fields are. */
  readonly odd: readonly string[];
  /** Of a merge patch: what it says stands where it says it. */
  readonly numbers?: WrittenNumbers | undefined;
}

/**
 * The draft that a patch leads to: a copy, as the result shares parts with the stored object. What does not fit its type is
 * the patch's fault: 422, where a whole object would be 400.
 */
export function* readPatched(
  served: ServedResource,
  result: Patched,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): Steps<Draft> {
  const draft = draftOf(served, result);
  yield;
  const { unknown, problem } = checkOf(draft, result, served.body);
  if (problem !== undefined) throw wrongPatched(result, problem);
  if (!isJson(draft["metadata"])) draft.metadata = {};
  draft["kind"] = served.resource.kind;
  draft["apiVersion"] = apiVersionOf(served.resource);
  if (query.fieldValidation === "Ignore") return draft;
  const problems = [...result.odd, ...unknown.map((path) => `unknown field "${path}"`)];
  if (problems.length === 0) return draft;
  if (query.fieldValidation === "Strict")
    throw wrongPatched(result, `strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems) warnings.push(problem);
  return draft;
}

/** Trees that have been merged are taken for what they were merged into; JSON has to say the right kind. */
function draftOf({ resource, custom }: ServedResource, result: Patched): Draft {
  if (result.type === "strategic" && isJson(result.patched)) return copyJson(result.patched) as Draft;
  const draft = interpreted(result);
  const kind = text(draft, "kind") || resource.kind;
  const apiVersion = text(draft, "apiVersion") || apiVersionOf(resource);
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource))
    throw wrongPatched(result, wrongKind(resource, kind, apiVersion, custom));
  return draft as Draft;
}

function interpreted(result: Patched): Json {
  try {
    return interpret({ value: isJson(result.patched) ? inOrder(result.patched) : result.patched });
  } catch (error) {
    if (error instanceof UnreadableBody) throw wrongPatched(result, error.message);
    throw error;
  }
}

/** upstream: JSON that is made of a map has its names in order. */
function inOrder(object: Json): Json {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => compareStrings(a, b)));
}

/** What a strategic merge patch leads to is not read from JSON. */
function checkOf(
  draft: Draft,
  { type, numbers }: Patched,
  body: Pick<BodySchema, "check" | "checkMerged">,
): BodyCheck {
  return type === "strategic" && body.checkMerged !== undefined
    ? body.checkMerged(draft)
    : body.check(draft, numbers);
}

function wrongPatched({ patched, type, patch }: Patched, problem: string): Error {
  const shown = type === "strategic" ? goValue(patch) : JSON.stringify(patched);
  const message = `Invalid value: ${JSON.stringify(shown)}: ${problem}`;
  return invalid({ group: "", kind: "" }, "", [{ type: "FieldValueInvalid", field: "patch", message }]);
}
