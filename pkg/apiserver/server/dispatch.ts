import { binding, legacyBinding } from "./binding.ts";
import type { Call } from "./call.ts";
import { createObject } from "./create.ts";
import { deleteCollection } from "./delete-collection.ts";
import { deleteObject } from "./delete.ts";
import { evict } from "./eviction.ts";
import { patchObject } from "./patch.ts";
import { askKubelet, isOfKubelets } from "./pod-connect.ts";
import { booleanParameter } from "./query-options.ts";
import { getObject, listOrWatch } from "./read.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { RequestInfo } from "./request-info.ts";
import { readComputed } from "./read-computed.ts";
import { getScale, patchScale, replaceScale } from "./scale.ts";
import { methodNotAllowed, noSuchResource } from "./status-error.ts";
import { createVirtual, virtualHandlerOf } from "./virtual-create.ts";
import { replaceObject } from "./update.ts";

type Handler = (call: Call) => Promise<ApiResponse>;

/** The verb that authorization and the rules of access speak of. */
export function verbOf(request: ApiRequest, info: RequestInfo): string {
  // Whatever the method is: only a GET is routed.
  if (info.watchPath) return "watch";
  switch (request.method) {
    case "GET":
    case "HEAD":
      if (info.name !== "") return "get";
      return booleanParameter(request.query, "watch") === true ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return info.name === "" ? "deletecollection" : "delete";
    default:
      // Nothing that one could be allowed.
      return "";
  }
}

const collectionHandlers: Readonly<Record<string, Handler>> = {
  list: listOrWatch,
  watch: listOrWatch,
  create: createObject,
  deletecollection: deleteCollection,
};

const objectHandlers: Readonly<Record<string, Handler>> = {
  get: getObject,
  watch: listOrWatch,
  update: replaceObject,
  patch: patchObject,
  delete: deleteObject,
};

/** Subresources that are a view of the object itself: reads and writes go through its rules. */
const viewHandlers: Readonly<Record<string, Handler>> = {
  get: getObject,
  update: replaceObject,
  patch: patchObject,
};

const subresourceHandlers: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  scale: { get: getScale, update: replaceScale, patch: patchScale },
  binding: { create: binding },
  eviction: { create: evict },
};

/** Throws 404 for an unknown subresource and 405 for a verb that the resource does not have. */
export function handlerOf(call: Call): Handler {
  const { info, served, verb, request } = call;
  if (!served.resource.namespaced && info.namespace !== "") throw noSuchResource();
  if (info.subresource !== "" && !served.subresources.has(info.subresource)) throw noSuchResource();
  if (request.method === "HEAD" || (info.watchPath && request.method !== "GET")) throw methodNotAllowed();
  if (info.subresource !== "") return subresourceHandler(call);
  const spansNamespaces = served.resource.namespaced && info.namespace === "";
  if (spansNamespaces && info.name !== "") throw noSuchResource();
  if (spansNamespaces && verb !== "list" && verb !== "watch") throw methodNotAllowed();
  if (!served.verbs.has(verb)) throw methodNotAllowed();
  const computed = call.computed.get(served.bucket);
  if (computed !== undefined) return readComputed(computed);
  if (served.bucket === "bindings") return legacyBinding;
  // What cannot be read back is not stored.
  if (!served.verbs.has("get") && verb === "create") return createVirtual;
  const handler = (info.name === "" ? collectionHandlers : objectHandlers)[verb];
  if (handler === undefined) throw methodNotAllowed();
  return handler;
}

function subresourceHandler(call: Call): Handler {
  const { info, served, verb } = call;
  const subresource = served.subresources.get(info.subresource);
  if (subresource === undefined) throw noSuchResource();
  if (verb === "create" && virtualHandlerOf(call) !== undefined) return createVirtual;
  if (isOfKubelets(info.subresource)) return askKubelet;
  const handler = (subresourceHandlers[info.subresource] ?? viewHandlers)[verb];
  if (handler === undefined || !subresource.verbs.includes(verb)) throw methodNotAllowed();
  return handler;
}
