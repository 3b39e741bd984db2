import type { ApiObject } from "../../api/object.ts";
import type { Steps } from "../../api/steps.ts";
import { applyJsonPatch } from "../../api/patch/json-patch.ts";
import { applyMergePatch } from "../../api/patch/merge-patch.ts";
import { PatchError } from "../../api/patch/patch-error.ts";
import { isJson, type Json } from "../../api/json.ts";
import { DepthError, parseBodyJson } from "../decode/json-depth.ts";
import { readYamlBody } from "../decode/yaml-body.ts";
import { YamlError } from "../decode/yaml-scalar.ts";
import type { Draft } from "../kinds/kind.ts";
import { applyObject } from "./apply-patch.ts";
import type { Call } from "./call.ts";
import { copyJson } from "../../api/json-copy.ts";
import { writtenNumbersOf } from "./draft.ts";
import { jsonProblem } from "./json-problem.ts";
import { matchPath } from "./match-namespace.ts";
import { mediaType, negotiateOutput } from "./negotiate.ts";
import { Output } from "./output.ts";
import { patchOddities } from "./patch-oddities.ts";
import { type PatchType, readPatched } from "./patched-draft.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import type { ApiResponse, RequestBody } from "./request.ts";
import { findStored } from "./read.ts";
import type { ServedResource } from "./served-resource.ts";
import {
  badRequest,
  internal,
  StatusError,
  unprocessablePatch,
  unsupportedMediaType,
} from "./status-error.ts";
import { formsOf } from "./subresource-forms.ts";
import { writeExisting } from "./update.ts";

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

export async function patchObject(call: Call): Promise<ApiResponse> {
  const { request, served, clock } = call;
  const form = negotiateOutput(request.headers["accept"], request.query, formsOf(call));
  const type = patchTypeOf(request.headers["content-type"], served);
  const query = parseWriteQuery(request.query, "PatchOptions", type === "apply");
  // An apply may create.
  if (type !== "apply") findStored(call);
  const patch = parsePatch(request.body, type);
  await call.turns.step();
  const result =
    type === "apply"
      ? await applyObject(call, query, patch)
      : { object: await patchExisting(call, query, type, patch), created: false };
  const output = new Output(served, form, clock.nowMs());
  const status = result.created ? 201 : 200;
  return { status, headers: {}, body: { kind: "object", value: await output.object(result.object) } };
}

/** Throws 415 for a type that this resource does not take. */
export function patchTypeOf(contentType: string | undefined, served: ServedResource): PatchType {
  const media = mediaType(contentType);
  const type = Object.hasOwn(patchTypes, media) ? patchTypes[media] : undefined;
  if (type !== undefined && (type !== "strategic" || served.body.strategic !== undefined)) return type;
  if (served.custom)
    throw unsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " +
        "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
    );
  throw new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
}

export function parsePatch(body: RequestBody | undefined, type?: PatchType): unknown {
  if (body !== undefined && "value" in body) return copyJson(body.value);
  if (body?.format === "yaml") return parseYamlPatch(body.text);
  try {
    return parseBodyJson(body?.text ?? "");
  } catch (error) {
    const prefix = type === "strategic" ? "" : "error decoding patch: ";
    throw badRequest(prefix + jsonProblem(body?.text ?? "", error));
  }
}

function parseYamlPatch(text: string): unknown {
  try {
    return readYamlBody(text).value;
  } catch (error) {
    if (error instanceof YamlError || error instanceof DepthError)
      throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
    throw error;
  }
}

async function patchExisting(
  call: Call,
  query: WriteQuery,
  type: Exclude<PatchType, "apply">,
  patch: unknown,
): Promise<ApiObject> {
  return writeExisting(call, query, {
    next: async (before) => call.turns.run(patchedDraft(call, query, { type, patch }, before)),
  });
}

/** What a patch makes of the object (or of the view of it that the call serves): a draft of its own. */
export function* patchedDraft(
  { served, info, warnings, request }: Pick<Call, "served" | "info" | "warnings" | "request">,
  query: WriteQuery,
  { type, patch }: { readonly type: Exclude<PatchType, "apply">; readonly patch: unknown },
  before: ApiObject,
): Steps<Draft> {
  const { fieldValidation } = query;
  const patched = applyTo(served, { type, patch, fieldValidation }, before);
  yield;
  const odd = query.fieldValidation === "Ignore" ? [] : patchOddities(type, patch, request.body);
  yield;
  const numbers = type === "merge" ? writtenNumbersOf(request.body) : undefined;
  const draft = yield* readPatched(served, { patched, type, patch, odd, numbers }, query, warnings);
  matchPath(draft, { served, info });
  return draft;
}

function applyTo(
  served: ServedResource,
  { type, patch, fieldValidation }: Pick<WriteQuery, "fieldValidation"> & { type: PatchType; patch: unknown },
  before: ApiObject,
): unknown {
  return translatingPatchErrors(() => {
    if (type === "json") {
      // As Go has it, null is a list without anything.
      if (patch === null) return before;
      if (!Array.isArray(patch)) throw wrongPatch(patch, "[]handlers.jsonPatchOp", "error decoding patch: ");
      const odd: unknown = patch.find((operation) => !isJson(operation ?? {}));
      if (odd !== undefined) throw wrongOperation(odd, fieldValidation);
      if (patch.length > MOST_OPERATIONS) throw tooManyOperations(patch.length);
      return applyJsonPatch(before, patch);
    }
    if (type === "merge" && patch === null) throw badRequest("Invalid JSON Patch");
    const prefix = type === "merge" ? "error decoding patch: " : "";
    if (!isJson(patch ?? {})) throw wrongPatch(patch, "map[string]interface {}", prefix);
    const given = (patch ?? {}) as Json;
    return type === "merge" ? applyMergePatch(before, given) : served.body.strategic?.(before, given);
  });
}

/** Who is not to be told of fields has the patch read by the library alone. */
function wrongOperation(operation: unknown, fieldValidation: WriteQuery["fieldValidation"]): Error {
  return fieldValidation === "Ignore"
    ? wrongPatch(operation, "jsonpatch.Operation", "")
    : wrongPatch(operation, "handlers.jsonPatchOp", "error decoding patch: ");
}

const MOST_OPERATIONS = 10_000;

function tooManyOperations(count: number): StatusError {
  const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${count}`;
  return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${message}`);
}

function wrongPatch(patch: unknown, expected: string, prefix: string): Error {
  const actual = Array.isArray(patch) ? "array" : isJson(patch) ? "object" : typeof patch;
  return badRequest(`${prefix}json: cannot unmarshal ${actual} into Go value of type ${expected}`);
}

function translatingPatchErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (error.code === "BadRequest") throw badRequest(error.message);
    throw error.code === "Internal" ? internal(error.message) : unprocessablePatch();
  }
}
