import { apiVersionOf } from "../../api/resource.ts";
import { parseJson } from "../../api/wire-json.ts";
import { isJson, type Json, text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import { duplicateFields } from "./duplicate-fields.ts";
import { copyJson } from "../../api/json-copy.ts";
import { jsonProblem } from "./json-problem.ts";
import type { WriteQuery } from "./query-options.ts";
import type { RequestBody } from "./request.ts";
import type { ServedResource } from "./served-resource.ts";
import { badRequest } from "./status-error.ts";

/** Reads the object of a POST or PUT: its own copy, of the right kind, without fields that the kind does not have. */
export function readDraft(
  served: ServedResource,
  body: RequestBody | undefined,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): Draft {
  const { kind } = served.resource;
  const value = parseBody(body, kind);
  const duplicates =
    query.fieldValidation === "Ignore" || body === undefined || !("text" in body)
      ? []
      : duplicatesOf(body.text, value);
  const draft = asDraft(served, value);
  checkDraft(served, { draft, duplicates }, query, warnings);
  return draft;
}

function parseBody(body: RequestBody | undefined, kind: string): Json {
  const problem = `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: `;
  let value: unknown;
  if (body !== undefined && "value" in body) value = copyJson(body.value);
  else {
    const text = body?.text ?? "";
    try {
      value = parseJson(text);
    } catch (error) {
      throw badRequest(`${problem}${jsonProblem(text, error)} (${text})`);
    }
  }
  if (isJson(value)) return value;
  throw badRequest(
    `${problem}json: cannot unmarshal ${Array.isArray(value) ? "array" : typeof value} into an object`,
  );
}

/** Checks the kind and makes sure that there is metadata. Takes the value over. */
function asDraft(served: ServedResource, value: Json): Draft {
  const { kind } = served.resource;
  const apiVersion = apiVersionOf(served.resource);
  if (served.custom) requireKind(value, kind);
  const givenKind = text(value, "kind") || kind;
  const givenVersion = text(value, "apiVersion") || apiVersion;
  if (givenKind !== kind || givenVersion !== apiVersion) throw wrongKind(served, givenKind, givenVersion);
  if (value["metadata"] === undefined || value["metadata"] === null) value["metadata"] = {};
  value["kind"] = kind;
  value["apiVersion"] = apiVersion;
  return value as Draft;
}

/** Bodies of custom kinds name their kind themselves: nothing else tells the decoder. */
function requireKind(value: Json, kind: string): void {
  for (const [field, name] of [
    ["kind", "Kind"],
    ["apiVersion", "apiVersion"],
  ] as const) {
    if (text(value, field) !== "") continue;
    const shown = JSON.stringify(value);
    const short = shown.length > 40 ? `${shown.slice(0, 40)} ...` : shown;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object '${name}' is missing in '${shown}' (${short})`,
    );
  }
}

function wrongKind(served: ServedResource, kind: string, apiVersion: string): Error {
  const expected = served.resource;
  if (served.custom) {
    return badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  }
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const why =
    kind === expected.kind
      ? `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`
      : `converting (${version}.${kind}) to (${expected.group === "" ? "core" : expected.group.split(".")[0]}.${expected.kind}): unknown conversion`;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${expected.kind}: ${why}`);
}

interface ReadBody {
  readonly draft: Draft;
  /** Paths of the fields that the text names twice. */
  readonly duplicates: readonly string[];
}

/**
 * Holds the draft against its kind: wrong types are refused; unknown and duplicate fields are dropped, and refused or
 * warned about as the client asked.
 */
function checkDraft(
  served: ServedResource,
  { draft, duplicates }: ReadBody,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): void {
  const { unknown, problem } = served.body.check(draft);
  if (problem !== undefined) throw cannotBeHandled(served, problem);
  if (query.fieldValidation === "Ignore") return;
  const unknownFields = unknown.map((path) => `unknown field "${path}"`);
  const twice = duplicates.map((path) => `duplicate field "${path}"`);
  // The decoders of built-in and of custom kinds look for these in different order.
  const problems = served.custom ? [...twice, ...unknownFields] : [...unknownFields, ...twice];
  if (problems.length === 0) return;
  if (query.fieldValidation === "Strict")
    throw cannotBeHandled(served, `strict decoding error: ${problems.join(", ")}`);
  warnings.push(...problems);
}

function cannotBeHandled({ resource }: ServedResource, problem: string): Error {
  const { kind, version } = resource;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}

/** Of a body that is no whole object of its kind: only fields named twice are looked for. */
export function warnOfDuplicates(
  served: ServedResource,
  body: RequestBody | undefined,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): void {
  if (query.fieldValidation === "Ignore" || body === undefined || !("text" in body)) return;
  const twice = duplicateFields(body.text).map((path) => `duplicate field "${path}"`);
  if (twice.length === 0) return;
  if (query.fieldValidation === "Strict")
    throw cannotBeHandled(served, `strict decoding error: ${twice.join(", ")}`);
  warnings.push(...twice);
}

/** As many members as colons behind strings: then no name can occur twice, and the slow search is spared. */
function duplicatesOf(text: string, value: Json): readonly string[] {
  let colons = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) colons++;
  const spaced = /"\s+:/.test(text);
  return !spaced && colons === countMembers(value) ? [] : duplicateFields(text);
}

function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value)) count += countMembers(member);
  return count;
}
