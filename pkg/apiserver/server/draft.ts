import { quotedAsInGo } from "../../api/go-quote.ts";
import { apiVersionOf, type Resource } from "../../api/resource.ts";
import { definitionOf } from "../../api/schema.ts";
import type { Steps } from "../../api/steps.ts";
import { type Json, text } from "../../api/json.ts";
import { type BodyCheck, checkBuiltInBody } from "../decode/check-body.ts";
import { readJsonBody, summaryOf, unreadable } from "../decode/json-body.ts";
import { mayHaveDuplicates, readYamlBody, strictYamlProblem } from "../decode/yaml-body.ts";
import type { Draft } from "../kinds/kind.ts";
import { duplicateFields, type WrittenNumbers, writtenNumbers } from "../decode/json-scanner.ts";
import type { WriteQuery } from "./query-options.ts";
import type { RequestBody } from "./request.ts";
import type { ServedResource } from "./served-resource.ts";
import { badRequest } from "./status-error.ts";

/** Reads the object of a POST or PUT: its own copy, of the right kind, without fields that the kind does not have. */
export function* readDraft(
  served: ServedResource,
  body: RequestBody | undefined,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): Steps<Draft> {
  const value = readJsonBody(body, served.resource.kind);
  yield;
  const duplicates = duplicatesIn(body, value, query);
  yield;
  if (served.custom) requireKind(value, served.resource.kind);
  requireVersion(value, served.resource.kind, body);
  const draft = ofKind(served.resource, value, served.custom) as Draft;
  if (draft["metadata"] === undefined || draft["metadata"] === null) draft.metadata = {};
  const check = served.body.check(draft, writtenNumbersOf(body));
  reportProblems(served, { ...check, duplicates }, query, warnings);
  return draft;
}

type Kind = Pick<Resource, "group" | "version" | "kind">;

/** Reads a body of a kind that no resource has on its own, as subresources take them. */
export function* readBodyOfKind(
  kind: Kind,
  body: RequestBody | undefined,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): Steps<Json> {
  const read = readJsonBody(body, kind.kind);
  yield;
  const duplicates = duplicatesIn(body, read, query);
  yield;
  requireVersion(read, kind.kind, body);
  const value = ofKind(kind, read, false);
  const definition = definitionOf(apiVersionOf(kind), kind.kind);
  const check =
    definition === undefined
      ? nothingWrong
      : checkBuiltInBody(value, definition, undefined, writtenNumbersOf(body));
  reportProblems({ resource: kind, custom: false }, { ...check, duplicates }, query, warnings);
  return value;
}

/** YAML becomes JSON before it is read, with numbers told by their value. */
export function writtenNumbersOf(body: RequestBody | undefined): WrittenNumbers | undefined {
  return body !== undefined && "text" in body && body.format !== "yaml"
    ? writtenNumbers(body.text)
    : undefined;
}

const nothingWrong: BodyCheck = { unknown: [], problem: undefined };

function requireVersion(value: Json, kind: string, body: RequestBody | undefined): void {
  const apiVersion = text(value, "apiVersion");
  if (apiVersion.split("/").length > 2)
    throw unreadable(kind, `unexpected GroupVersion string: ${apiVersion}`, body);
}

/** A body says of what kind it is, or says nothing. */
function ofKind(expected: Kind, value: Json, custom: boolean): Json {
  const apiVersion = apiVersionOf(expected);
  const givenKind = text(value, "kind") || expected.kind;
  // upstream: runtime/schema#ParseGroupVersion takes a lone slash for no version.
  const givenVersion = text(value, "apiVersion").replace(/^\/$/, "") || apiVersion;
  if (givenKind !== expected.kind || givenVersion !== apiVersion)
    throw badRequest(
      custom
        ? wrongKind(expected, givenKind, givenVersion, custom)
        : `${givenKind} in version ${quotedAsInGo(versionOf(givenVersion))} cannot be handled as a ${expected.kind}: ` +
            wrongKind(expected, givenKind, givenVersion, custom),
    );
  value["kind"] = expected.kind;
  value["apiVersion"] = apiVersion;
  return value;
}

/** Bodies of custom kinds name their kind themselves: nothing else tells the decoder. */
function requireKind(value: Json, kind: string): void {
  for (const [field, name] of [
    ["kind", "Kind"],
    ["apiVersion", "apiVersion"],
  ] as const) {
    if (text(value, field) !== "") continue;
    const shown = JSON.stringify(value);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object '${name}' is missing in '${shown}' (${summaryOf(shown)})`,
    );
  }
}

/** What is wrong with a kind that is not the expected one. */
export function wrongKind(expected: Kind, kind: string, apiVersion: string, custom: boolean): string {
  if (custom)
    return `the API version in the data (${apiVersion}) does not match the expected API version (${apiVersionOf(expected)})`;
  if (definitionOf(apiVersion, kind) === undefined)
    return `no kind ${quotedAsInGo(kind)} is registered for version ${quotedAsInGo(apiVersion)} in scheme "pkg/api/legacyscheme/scheme.go:30"`;
  const group = expected.group === "" ? "core" : (expected.group.split(".")[0] ?? "");
  return `converting (${versionOf(apiVersion)}.${kind}) to (${group}.${expected.kind}): unknown conversion`;
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

interface Problems extends BodyCheck {
  readonly duplicates: Duplicates;
}

/** What is said of the fields that a text names twice. */
interface Duplicates {
  readonly warnings: readonly string[];
  /** The same as a refusal. */
  readonly refusals: readonly string[];
}

/** Wrong types are refused; of unknown and duplicate fields, the client is told as it asked to be. */
function reportProblems(
  served: Pick<ServedResource, "custom"> & { readonly resource: Kind },
  { unknown, problem, duplicates }: Problems,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): void {
  if (problem !== undefined) throw cannotBeHandled(served.resource, problem);
  if (query.fieldValidation === "Ignore") return;
  const unknownFields = unknown.map((path) => `unknown field "${path}"`);
  const isStrict = query.fieldValidation === "Strict";
  const twice = isStrict ? duplicates.refusals : duplicates.warnings;
  // The decoders of built-in and of custom kinds look for these in different order.
  const problems = served.custom ? [...twice, ...unknownFields] : [...unknownFields, ...twice];
  if (problems.length === 0) return;
  if (isStrict) throw cannotBeHandled(served.resource, `strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems) warnings.push(problem);
}

function cannotBeHandled({ kind, version }: Kind, problem: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${problem}`);
}

function duplicatesIn(
  body: RequestBody | undefined,
  value: Json,
  query: Pick<WriteQuery, "fieldValidation">,
): Duplicates {
  if (query.fieldValidation === "Ignore" || body === undefined || !("text" in body)) return noDuplicates;
  if (body.format === "yaml") {
    const warnings = readYamlBody(body.text).duplicates;
    return { warnings, refusals: warnings.length === 0 ? [] : [strictYamlProblem(warnings)] };
  }
  // The slow search is spared where it would find nothing.
  const paths = mayHaveDuplicates(body.text, value) ? duplicateFields(body.text) : [];
  const warnings = paths.map((path) => `duplicate field "${path}"`);
  return { warnings, refusals: warnings };
}

const noDuplicates: Duplicates = { warnings: [], refusals: [] };

/** Of a body that is no whole object of its kind: only fields named twice are looked for. */
export function warnOfDuplicates(
  served: ServedResource,
  body: RequestBody | undefined,
  query: Pick<WriteQuery, "fieldValidation">,
  warnings: string[],
): void {
  if (query.fieldValidation === "Ignore" || body === undefined || !("text" in body)) return;
  if (body.format === "yaml") {
    const { duplicates } = readYamlBody(body.text);
    if (duplicates.length > 0 && query.fieldValidation === "Strict")
      throw badRequest(
        `error strict decoding YAML: error converting YAML to JSON: ${strictYamlProblem(duplicates)}`,
      );
    for (const problem of duplicates) warnings.push(problem);
    return;
  }
  const twice = duplicateFields(body.text).map((path) => `duplicate field "${path}"`);
  if (twice.length === 0) return;
  if (query.fieldValidation === "Strict")
    throw cannotBeHandled(served.resource, `strict decoding error: ${twice.join(", ")}`);
  for (const problem of twice) warnings.push(problem);
}
