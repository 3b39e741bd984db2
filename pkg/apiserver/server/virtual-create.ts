import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { Steps } from "../../api/steps.ts";
import { child, type Json } from "../../api/json.ts";
import { updateManagedFields } from "../apply/apply.ts";
import { builtInSchema } from "../apply/built-in-schema.ts";
import type { Draft } from "../kinds/kind.ts";
import { admitSubresource } from "./admit.ts";
import type { Call } from "./call.ts";
import { readBodyOfKind } from "./draft.ts";
import { matchNamespace } from "./match-namespace.ts";
import { recordOwnership, writeContext } from "./managed-fields.ts";
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

const systemFields = [
  "creationTimestamp",
  "uid",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "selfLink",
];

/** What the server adds to the metadata of everything that is created. */
function* describe(call: Call, body: Json, query: WriteQuery): Steps<void> {
  const { served } = call;
  const metadata = { ...child(body, "metadata") };
  // upstream: apiserver/pkg/registry/rest/meta.go#WipeObjectMetaSystemFields
  for (const name of systemFields) delete metadata[name];
  const draft: Draft = {
    ...body,
    metadata,
    apiVersion: apiVersionOf(served.resource),
    kind: served.resource.kind,
  };
  matchNamespace(draft, call);
  yield* recordOwnership(call, undefined, draft, query);
  body["metadata"] = draft.metadata;
}

export async function createVirtual(call: Call): Promise<ApiResponse> {
  const handler = virtualHandlerOf(call);
  if (handler === undefined) throw methodNotAllowed();
  const { request, served, info, user } = call;
  negotiateOutput(request.headers["accept"], request.query, { route: "computed" });
  const query = parseWriteQuery(request.query, "CreateOptions");
  requireObjectBody(request.headers["content-type"]);
  const kind = served.subresources.get(info.subresource)?.kind ?? served.resource;
  const body = await call.turns.run(readBodyOfKind(kind, request.body, query, call.warnings));
  const isBelow = info.subresource !== "";
  handler.setDefaults?.(body);
  if (!isBelow) await call.turns.run(describe(call, body, query));
  // Who owns what is told of the request as the client meant it.
  const owned = isBelow ? await call.turns.run(ownersOf(call, body, kind, query)) : {};
  await admitSubresource(call, query, kind, body);
  const parent = isBelow ? findStored(call) : undefined;
  const { dryRun } = query;
  const { resource } = served;
  const value: Json = {
    ...(await handler({ resource, namespace: info.namespace, parent, body, user, dryRun })),
  };
  const identity = { kind: kind.kind, apiVersion: apiVersionOf(kind) };
  const metadata = { ...child(value, "metadata"), ...owned };
  const answer: Json = { ...identity, ...value, metadata };
  return { status: 201, headers: {}, body: { kind: "object", value: answer } };
}

/** Of what is created within another object: it is of a kind of its own. */
function* ownersOf(
  call: Call,
  body: Json,
  kind: Kind,
  query: WriteQuery,
): Steps<Pick<ApiObject["metadata"], "managedFields">> {
  const apiVersion = apiVersionOf(kind);
  const schema = builtInSchema(apiVersion, kind.kind) ?? { kind: "deduced" };
  // Both are of the kind that the path names.
  const { resetFields: _reset, empty: _empty, ...given } = writeContext(call, query);
  const context = { ...given, schema, apiVersion };
  const { managedFields: _, ...metadata } = child(body, "metadata") ?? {};
  const { managedFields } = (yield* updateManagedFields(undefined, { ...body, metadata }, context)).metadata;
  return managedFields === undefined ? {} : { managedFields };
}

type Kind = Parameters<typeof readBodyOfKind>[0];
