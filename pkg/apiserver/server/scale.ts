import type { ApiObject } from "../../api/object.ts";
import { asJson, child, int64, isJson, type Json, text } from "../../api/json.ts";
import { copyJson } from "../../api/json-copy.ts";
import { selectorFromSpec } from "../../api/label-selector.ts";
import { apiVersionOf, type BuiltInResource } from "../../api/resource.ts";
import { withManagers } from "../apply/managed-object.ts";
import { managersOfScale, managersOfScaled, type ReplicasPath } from "../apply/scale-managers.ts";
import { defineKind } from "../kinds/define-kind.ts";
import type { Draft, FieldError, TableColumn } from "../kinds/kind.ts";
import { ageColumn, nameColumn } from "../kinds/table.ts";
import { appliedConfiguration, merged } from "./apply-patch.ts";
import { admitBody, withinServer } from "./admit.ts";
import { builtInResource } from "./built-in-resource.ts";
import type { Call } from "./call.ts";
import { matchPath } from "./match-namespace.ts";
import { readDraft } from "./draft.ts";
import { recordOwnership } from "./managed-fields.ts";
import { negotiateOutput, requireObjectBody } from "./negotiate.ts";
import { Output } from "./output.ts";
import { parsePatch, patchedDraft, patchTypeOf } from "./patch.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import { findStored, requireAskedRevision } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { readAsServed, readyToRead, type ScalePaths, type ServedResource } from "./served-resource.ts";
import { conflict, invalid, noSuchResource } from "./status-error.ts";
import { requireUid, writeExisting } from "./update.ts";

export async function getScale(call: Call): Promise<ApiResponse> {
  negotiateOutput(call.request.headers["accept"], call.request.query);
  await requireAskedRevision(call);
  return scaleResponse(call, findStored(call));
}

export async function replaceScale(call: Call): Promise<ApiResponse> {
  const { request } = call;
  const query = parseWriteQuery(request.query, "UpdateOptions");
  requireObjectBody(request.headers["content-type"]);
  const body = await call.turns.run(readDraft(scaleResource(), request.body, query, call.warnings));
  matchPath(body, call);
  const stored = await writeScale(call, query, {
    precondition: (before) => requireUid(call, body, before, query),
    next: () => copyJson(body),
  });
  return scaleResponse(call, stored);
}

export async function patchScale(call: Call): Promise<ApiResponse> {
  const { request, served } = call;
  const type = patchTypeOf(request.headers["content-type"], served);
  const query = parseWriteQuery(request.query, "PatchOptions", type === "apply");
  const patch = parsePatch(request.body, type);
  const view: Call = { ...call, served: scaleResource() };
  const change: ScaleChange =
    type === "apply"
      ? {
          next: async (scale) =>
            call.turns.run(merged(view, query, scale, appliedConfiguration(view, patch))),
          applied: true,
        }
      : { next: async (scale) => call.turns.run(patchedDraft(view, query, { type, patch }, scale)) };
  return scaleResponse(call, await writeScale(call, query, change));
}

interface ScaleChange {
  precondition?(before: ApiObject): void;
  next(scale: ApiObject): Draft | Promise<Draft>;
  /** The managers of the new scale are what they have to be. */
  readonly applied?: true;
}

/** A write to the scale is one to a view of the object, whose fields have the owners that they have in the object. */
async function writeScale(call: Call, query: WriteQuery, change: ScaleChange): Promise<ApiObject> {
  const { served } = call;
  const paths = scalePaths(call);
  const pathIn = replicasPaths(call);
  return writeExisting(withinServer(call), query, {
    anyVersion: true,
    ownership: "asGiven",
    precondition: (before) => change.precondition?.(before),
    next: async (before) => {
      const { managedFields } = before.metadata;
      const managers = await call.turns.run(managersOfScale(managedFields, pathIn));
      const scale = await call.turns.run(withManagers(scaleOf(call, before), managers));
      const draft = await change.next(scale);
      if (change.applied !== true)
        await call.turns.run(recordOwnership({ ...call, served: scaleResource() }, scale, draft, query));
      const facts = {
        operation: "UPDATE",
        name: call.info.name,
        before: scale,
        bodyKind: scaleKind,
      } as const;
      await admitBody(call, query, facts, draft);
      const replicas = readPath(draft, ["spec", "replicas"]) ?? 0;
      requireScale(call, draft, replicas, before);
      const scaled = copyJson(asJson(before)) as Draft;
      writePath(scaled, paths.specReplicas, replicas);
      // Whoever names a version in the scale means that of the object behind it.
      scaled.metadata["resourceVersion"] = text(draft.metadata, "resourceVersion");
      const owners = draft.metadata["managedFields"] as typeof managedFields;
      const version = apiVersionOf(served.resource);
      scaled.metadata["managedFields"] = await call.turns.run(
        managersOfScaled(managedFields, owners, version, pathIn),
      );
      return scaled;
    },
  });
}

function requireScale({ served }: Call, draft: Draft, replicas: unknown, before: ApiObject): void {
  const name = before.metadata.name ?? "";
  const errors = replicaErrors(replicas);
  if (errors.length > 0) throw invalid({ group: "autoscaling", kind: "Scale" }, name, errors);
  const uid = text(draft.metadata, "uid");
  const { uid: actual = "" } = before.metadata;
  if (uid === "" || uid === actual) return;
  throw conflict(
    { ...served.resource, plural: `${served.resource.plural}/scale` },
    name,
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${actual}`,
  );
}

/** Where each version of the resource has its replicas. */
function replicasPaths({ registry, served }: Call): ReplicasPath {
  const { group, plural } = served.resource;
  return (apiVersion) => {
    const [version = "", ofGroup = ""] = apiVersion.split("/").toReversed();
    if (ofGroup !== group) return undefined;
    // Old versions of built-in kinds have them where the one that is served has them.
    const found = registry.find(group, version, plural) ?? (served.custom ? undefined : served);
    return found === undefined ? undefined : (found.scale?.specReplicas ?? "none");
  };
}

const scaleKind: BuiltInResource = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  singular: "scale",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
};
const replicasColumn = (name: string, list: "spec" | "status", description: string): TableColumn => ({
  name,
  type: "integer",
  description,
  priority: 0,
  cell: (scale) => int64(child(asJson(scale), list), "replicas") ?? 0,
});
const scaleColumns: readonly TableColumn[] = [
  nameColumn,
  replicasColumn("Desired", "spec", "replicas is the desired number of instances for the scaled object."),
  replicasColumn(
    "Available",
    "status",
    "replicas is the actual number of observed instances of the scaled object.",
  ),
  ageColumn,
];
let servedScale: ServedResource | undefined;

function scaleResource(): ServedResource {
  servedScale ??= builtInResource(scaleKind, defineKind(scaleKind, { columns: scaleColumns }));
  return servedScale;
}

function replicaErrors(replicas: unknown): readonly FieldError[] {
  if (typeof replicas === "number" && replicas >= 0) return [];
  const message = `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`;
  return [{ type: "FieldValueInvalid", field: "spec.replicas", message }];
}

async function scaleResponse(call: Call, stored: ApiObject): Promise<ApiResponse> {
  const { request, clock, served } = call;
  const remote = served.conversion?.remote;
  if (remote !== undefined) await readyToRead(remote, () => [stored]);
  const form = negotiateOutput(request.headers["accept"], request.query);
  const output = new Output(scaleResource(), form, clock.nowMs());
  const value = await output.object(scaleOf(call, readAsServed(served, stored)));
  return { status: 200, headers: {}, body: { kind: "object", value } };
}

function scaleOf(
  call: Call,
  object: ApiObject,
): ApiObject & { readonly spec: object; readonly status: object } {
  const paths = scalePaths(call);
  const { name = "", namespace, uid = "", resourceVersion = "", creationTimestamp = null } = object.metadata;
  const home = namespace === undefined ? {} : { namespace };
  const replicas = readPath(asJson(object), paths.specReplicas);
  const selector = selectorText(object, paths.selector);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...home, uid, resourceVersion, creationTimestamp },
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
