import { apiVersionOf } from "../../api/resource.ts";
import { child, type Json } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import { readBodyOfKind } from "./draft.ts";
import { matchNamespace } from "./create.ts";
import { recordOwnership } from "./managed-fields.ts";
import { negotiateOutput, requireObjectBody } from "./negotiate.ts";
import { parseWriteQuery, type WriteQuery } from "./query-options.ts";
import { findStored } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { bucketName } from "./served-resource.ts";
import { methodNotAllowed } from "./status-error.ts";
import type { VirtualHandler } from "./virtual-handlers.ts";

export function virtualHandlerOf(call: Call): VirtualHandler | undefined {
  const { group, plural } = call.served.resource;
  const { subresource } = call.info;
  const name = bucketName(group, plural) + (subresource === "" ? "" : `/${subresource}`);
  return Object.hasOwn(call.virtual, name) ? call.virtual[name] : undefined;
}

/** What the server adds to the metadata of everything that is created. */
function describe(call: Call, body: Json, query: WriteQuery): void {
  const { served, info } = call;
  const metadata = { ...child(body, "metadata") };
  const draft: Draft = {
    ...body,
    metadata,
    apiVersion: apiVersionOf(served.resource),
    kind: served.resource.kind,
  };
  matchNamespace(draft, served.resource.namespaced ? info.namespace : "");
  recordOwnership(call, undefined, draft, query);
  body["metadata"] = draft.metadata;
}

export async function createVirtual(call: Call): Promise<ApiResponse> {
  const handler = virtualHandlerOf(call);
  if (handler === undefined) throw methodNotAllowed();
  const { request, served, info, user } = call;
  negotiateOutput(request.headers["accept"], request.query, "computed");
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireObjectBody(request.headers["content-type"]);
  const kind = served.subresources.get(info.subresource)?.kind ?? served.resource;
  const body = readBodyOfKind(kind, request.body, query, call.warnings);
  const parent = info.subresource === "" ? undefined : findStored(call);
  if (parent === undefined) describe(call, body, query);
  const { dryRun } = query;
  const { resource } = served;
  const value = await handler({ resource, namespace: info.namespace, parent, body, user, dryRun });
  const identity = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  return { status: 201, headers: {}, body: { kind: "object", value: { ...identity, ...value } } };
}
