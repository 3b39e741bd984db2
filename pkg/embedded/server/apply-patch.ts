import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { applyPatch } from "../apply/apply.ts";
import { asJson, isJson, text } from "../kinds/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { createDraft, matchNamespace } from "./create.ts";
import { checkDraft } from "./draft.ts";
import { copyJson } from "./json-copy.ts";
import { writeContext } from "./managed-fields.ts";
import type { WriteQuery } from "./query-options.ts";
import { currentObject } from "./read.ts";
import { applyConflict, badRequest, internal, notFound } from "./status-error.ts";
import { writeExisting } from "./update.ts";

interface Applied {
  readonly object: ApiObject;
  readonly created: boolean;
}

/** Server-side apply: creates the object when there is none, else changes what the applier says and owns. */
export async function applyObject(call: Call, query: WriteQuery, patch: unknown): Promise<Applied> {
  const { served, info, warnings } = call;
  const applied = appliedDraft(call, patch);
  checkDraft(served, applied, query, warnings);
  if (currentObject(call) !== undefined) {
    const object = await writeExisting(call, query, {
      next: (before) => merged(call, query, before, applied),
      ownership: "asGiven",
    });
    return { object, created: false };
  }
  if (info.subresource !== "") throw notFound(served.resource, info.name);
  const draft = merged(call, query, undefined, applied);
  return { object: await createDraft(call, draft, query, "asGiven"), created: true };
}

function appliedDraft({ served, info }: Call, patch: unknown): Draft {
  if (!isJson(patch)) throw badRequest("error decoding YAML: the applied configuration is not an object");
  const apiVersion = apiVersionOf(served.resource);
  if (text(patch, "apiVersion") === "" || text(patch, "kind") === "")
    throw badRequest("invalid object type: /, Kind=");
  if (patch["apiVersion"] !== apiVersion || patch["kind"] !== served.resource.kind)
    throw badRequest(
      `the API version in the data (${String(patch["apiVersion"])}) does not match the expected API version (${apiVersion})`,
    );
  const draft = patch as Draft;
  if (!isJson(draft["metadata"])) draft.metadata = {};
  const name = text(draft.metadata, "name");
  if (name === "") draft.metadata["name"] = info.name;
  else if (name !== info.name)
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  matchNamespace(draft, served.resource.namespaced ? info.namespace : "");
  return draft;
}

function merged(call: Call, query: WriteQuery, before: ApiObject | undefined, applied: Draft): Draft {
  const context = { ...writeContext(call, query), force: query.force };
  const result = applyPatch(before, applied, context);
  if (result.kind === "applied") return copyJson(asJson(result.object)) as Draft;
  if (result.kind === "conflict") throw applyConflict(result.message, result.causes);
  throw result.kind === "badRequest" ? badRequest(result.message) : internal(result.message);
}
