import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { WriteContext } from "../apply/apply.ts";
import type { Call } from "./call.ts";
import type { WriteQuery } from "./query-options.ts";

/** Who writes, as managedFields record it. */
export function writeContext(call: Call, query: WriteQuery): WriteContext {
  const { served, info, clock, request } = call;
  return {
    schema: served.body.fields,
    manager: query.fieldManager === "" ? defaultManager(request.headers["user-agent"]) : query.fieldManager,
    apiVersion: apiVersionOf(served.resource),
    subresource: info.subresource,
    nowMs: clock.nowMs(),
    resetFields: resetFields(call),
  };
}

/** The user agent up to its first slash. */
function defaultManager(userAgent: string | undefined): string {
  const manager = (userAgent ?? "").split("/")[0]?.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "") ?? "";
  return manager === "" ? "unknown" : manager.slice(0, 128);
}

function resetFields({ served, info }: Call): readonly (readonly string[])[] {
  if (info.subresource === "status") return [["spec"], ["metadata", "labels"]];
  return served.subresources.has("status") ? [["status"]] : [];
}

export const withoutManagedFields = (object: ApiObject): ApiObject => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
};
