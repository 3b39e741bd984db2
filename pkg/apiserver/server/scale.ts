import type { ApiObject } from "../../api/object.ts";
import { applyJsonPatch } from "../../api/patch/json-patch.ts";
import { applyMergePatch } from "../../api/patch/merge-patch.ts";
import { asJson, isJson, type Json, text } from "../../api/json.ts";
import { selectorFromSpec } from "../../api/label-selector.ts";
import type { Draft, FieldError } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { copyJson } from "../../api/json-copy.ts";
import { requireJsonBody } from "./negotiate.ts";
import { parsePatch, patchTypeOf, translatingPatchErrors } from "./patch.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import { findStored } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { readAsServed, type ScalePaths } from "./served-resource.ts";
import { badRequest, invalid, noSuchResource } from "./status-error.ts";
import { writeExisting } from "./update.ts";

export async function getScale(call: Call): Promise<ApiResponse> {
  return scaleResponse(call, findStored(call));
}

export async function replaceScale(call: Call): Promise<ApiResponse> {
  const { request } = call;
  const query = parseWriteQuery(request.query, "UpdateOptions");
  requireJsonBody(request.headers["content-type"]);
  const scale = parsePatch(request.body);
  if (!isJson(scale)) throw badRequest("the object provided is unrecognized (must be of type Scale)");
  const given = text(scale["metadata"] as Json | undefined, "name");
  if (given !== call.info.name)
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${call.info.name})`,
    );
  return scaleResponse(call, await writeScale(call, query, () => scale));
}

export async function patchScale(call: Call): Promise<ApiResponse> {
  const { request, served } = call;
  const type = patchTypeOf(request.headers["content-type"], served);
  const query = parseWriteQuery(request.query, "PatchOptions", type === "apply");
  const patch = parsePatch(request.body);
  const stored = await writeScale(call, query, (scale) =>
    translatingPatchErrors(() =>
      type === "json" ? applyJsonPatch(scale, patch) : applyMergePatch(scale, patch),
    ),
  );
  return scaleResponse(call, stored);
}

async function writeScale(call: Call, query: WriteQuery, next: (scale: Json) => unknown): Promise<ApiObject> {
  const paths = scalePaths(call);
  return writeExisting(call, query, {
    anyVersion: true,
    next: (before) => {
      const scale = next(scaleOf(call, before));
      if (!isJson(scale)) throw badRequest("the patched scale is not an object");
      const replicas = readPath(scale, ["spec", "replicas"]) ?? 0;
      const errors = replicaErrors(replicas);
      if (errors.length > 0)
        throw invalid({ group: "autoscaling", kind: "Scale" }, before.metadata.name ?? "", errors);
      const draft = copyJson(asJson(before)) as Draft;
      writePath(draft, paths.specReplicas, replicas);
      // Whoever names a version in the scale means that of the object behind it.
      draft.metadata["resourceVersion"] = text(scale["metadata"] as Json | undefined, "resourceVersion");
      return draft;
    },
  });
}

function replicaErrors(replicas: unknown): readonly FieldError[] {
  if (typeof replicas === "number" && replicas >= 0) return [];
  const message = `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`;
  return [{ type: "FieldValueInvalid", field: "spec.replicas", message }];
}

function scaleResponse(call: Call, stored: ApiObject): ApiResponse {
  const value = scaleOf(call, readAsServed(call.served, stored));
  return { status: 200, headers: {}, body: { kind: "object", value } };
}

function scaleOf(call: Call, object: ApiObject): Json {
  const paths = scalePaths(call);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readPath(asJson(object), paths.specReplicas);
  const selector = selectorText(object, paths.selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: {
      replicas: readPath(asJson(object), paths.statusReplicas) ?? 0,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

/** The selector in the form of the query parameter. */
function selectorText(object: ApiObject, path: readonly string[] | undefined): string {
  const selector = path === undefined ? undefined : readPath(asJson(object), path);
  if (typeof selector === "string") return selector;
  if (!isJson(selector)) return "";
  // ReplicationControllers select by a plain map of labels.
  const isSpec = "matchLabels" in selector || "matchExpressions" in selector;
  return selectorFromSpec(isSpec ? selector : { matchLabels: selector as Record<string, string> }).toString();
}

function scalePaths({ served }: Call): ScalePaths {
  if (served.scale === undefined) throw noSuchResource();
  return served.scale;
}

export function readPath(object: Json, path: readonly string[]): unknown {
  let at: unknown = object;
  for (const key of path) at = isJson(at) ? at[key] : undefined;
  return at;
}

function writePath(object: Json, path: readonly string[], value: unknown): void {
  let at = object;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    if (isJson(next)) at = next;
    else {
      const made: Json = {};
      at[key] = made;
      at = made;
    }
  }
  at[path.at(-1) ?? ""] = value;
}
