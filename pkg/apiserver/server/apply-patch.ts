import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { Steps } from "../../api/steps.ts";
import { applyPatch } from "../apply/apply.ts";
import { asJson, isJson, text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { createDraft } from "./create.ts";
import { matchNamespace, matchPath } from "./match-namespace.ts";
import { warnOfDuplicates } from "./draft.ts";
import { copyJson } from "../../api/json-copy.ts";
import { writeContext } from "./managed-fields.ts";
import { parseVersion, type WriteQuery } from "./query-options.ts";
import { currentObject } from "./read.ts";
import { applyConflict, badRequest, conflict, internal, notFound } from "./status-error.ts";
import { dropVersion, writeExisting } from "./update.ts";

interface Applied {
  readonly object: ApiObject;
  readonly created: boolean;
}

/** Server-side apply: creates the object when there is none, else changes what the applier says and owns. */
export async function applyObject(call: Call, query: WriteQuery, patch: unknown): Promise<Applied> {
  const { served, info, warnings, request } = call;
  const isThere = currentObject(call) !== undefined;
  // What a PUT may create an apply may, too, whatever part of it the path names.
  if (!isThere && info.subresource !== "" && served.rules.createOnUpdate !== true)
    throw notFound(served.resource, info.name);
  const applied = appliedDraft(call, patch);
  // What the kind does not have is for the merge to refuse; only what got lost in parsing is looked for here.
  warnOfDuplicates(served, request.body, query, warnings);
  if (isThere) {
    const object = await writeExisting(call, query, {
      next: async (before) => call.turns.run(named(call, query, before, applied)),
      ownership: "asGiven",
    });
    return { object, created: false };
  }
  const uid = text(applied.metadata, "uid");
  if (uid !== "")
    throw conflict(
      served.resource,
      info.name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  parseVersion(text(applied.metadata, "resourceVersion"), "write");
  const draft = await call.turns.run(named(call, query, undefined, applied));
  dropVersion(draft, query);
  return { object: await createDraft(call, draft, query, "asGiven"), created: true };
}

/** An applier need not repeat the name of an object that is there. */
function* named(call: Call, query: WriteQuery, before: ApiObject | undefined, applied: Draft): Steps<Draft> {
  const draft = yield* merged(call, query, before, applied);
  matchPath(draft, call);
  return draft;
}

/** What is applied, if it is of the kind that the call serves. */
export function appliedConfiguration({ served }: Pick<Call, "served">, patch: unknown): Draft {
  if (!isJson(patch))
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goKind(patch)} into Go value of type map[string]interface {}`,
    );
  const apiVersion = text(patch, "apiVersion");
  const kind = text(patch, "kind");
  if (apiVersion !== apiVersionOf(served.resource) || kind !== served.resource.kind) {
    // upstream: schema.FromAPIVersionAndKind makes nothing of what is no version.
    if (apiVersion.split("/").length > 2) throw badRequest("invalid object type: /, Kind=");
    const groupVersion = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
    throw badRequest(`invalid object type: ${groupVersion}, Kind=${kind}`);
  }
  const draft = patch as Draft;
  // What is no metadata at all is for the merge to refuse.
  draft["metadata"] ??= {};
  return draft;
}

function appliedDraft(call: Call, patch: unknown): Draft {
  const draft = appliedConfiguration(call, patch);
  // Only checked here: an applier that says nothing of the namespace does not own it.
  const probe: Draft = { metadata: { ...draft.metadata } };
  matchNamespace(probe, call);
  return draft;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The object (or view of it) that an apply makes; throws a conflict. */
export function* merged(
  call: Call,
  query: WriteQuery,
  before: ApiObject | undefined,
  applied: Draft,
): Steps<Draft> {
  const keepsNulls = call.served.body.checkMerged !== undefined;
  const context = { ...writeContext(call, query), force: query.force, keepsNulls };
  const result = yield* applyPatch(before, applied, context);
  yield;
  if (result.kind === "applied") {
    const draft = copyJson(asJson(result.object)) as Draft;
    yield;
    checkMerged(call, draft, applied);
    return draft;
  }
  if (result.kind === "conflict") throw applyConflict(result.message, result.causes);
  throw result.kind === "badRequest" ? badRequest(result.message) : internal(result.message);
}

/** The merge knows the schema; that times are times is found out by the types. */
function checkMerged({ served }: Call, draft: Draft, applied: Draft): void {
  const problem = served.body.checkMerged?.(draft).problem;
  if (problem === undefined) return;
  const { resource } = served;
  const type = `${resource.group}/${resource.version}, Kind=${resource.kind}`;
  const object = `${text(applied.metadata, "namespace")}/${text(applied.metadata, "name")}; ${type}`;
  throw internal(
    `failed to convert new object (${object}) to proper version: ` +
      `unable to convert unstructured object to ${type}: ${problem}`,
  );
}
