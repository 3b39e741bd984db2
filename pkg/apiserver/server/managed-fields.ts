import type { ApiObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import type { Steps } from "../../api/steps.ts";
import { updateManagedFields, type WriteContext } from "../apply/apply.ts";
import type { FieldSet } from "../apply/field-set.ts";
import { fieldSetOf } from "../apply/ownership.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Call } from "./call.ts";
import type { WriteQuery } from "./query-options.ts";

/** Who writes, as managedFields record it. */
export function writeContext(call: Call, query: WriteQuery): WriteContext {
  const { served, info, clock, request } = call;
  return {
    schema: served.body.fields,
    manager: query.fieldManager === "" ? defaultManager(request.headers["user-agent"]) : query.fieldManager,
    apiVersion: apiVersionOf(served.resource),
    empty: served.body.empty,
    subresource: info.subresource,
    nowMs: clock.nowMs(),
    resetFields: resetSet(resetFields(call)),
  };
}

/** The user agent up to its first slash. */
function defaultManager(userAgent: string | undefined): string {
  const manager = (userAgent ?? "").split("/")[0]?.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "") ?? "";
  return manager === "" ? "unknown" : manager.slice(0, 128);
}

type Paths = readonly (readonly string[])[];

const nothing: Paths = [];
const ofCustomStatus: Paths = [["spec"], ["metadata", "labels"]];
const ofCustomObject: Paths = [["status"]];

function resetFields({ served, info }: Call): Paths {
  const { reset } = served.rules;
  if (!served.custom) return reset?.[info.subresource] ?? reset?.[""] ?? nothing;
  if (info.subresource === "status") return ofCustomStatus;
  return served.subresources.has("status") ? ofCustomObject : nothing;
}

const resetSets = new WeakMap<Paths, FieldSet>();

/** The rules of a kind are always the same object. */
function resetSet(paths: Paths): FieldSet {
  let set = resetSets.get(paths);
  if (set === undefined) resetSets.set(paths, (set = fieldSetOf(paths)));
  return set;
}

/**
 * Writes down whose the fields are that this write changes: on the object as the client meant it, decoded and defaulted.
 * What admission and the kind's rules do to it afterwards belongs to nobody.
 */
export function* recordOwnership(
  call: Call,
  before: ApiObject | undefined,
  draft: Draft,
  query: WriteQuery,
): Steps<void> {
  // What a client says of ownership when it creates an object is not listened to.
  if (before === undefined)
    for (const key of ["managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"])
      delete draft.metadata[key];
  const owned = yield* updateManagedFields(before, draft, writeContext(call, query));
  const { managedFields } = owned.metadata;
  if (managedFields === undefined) delete draft.metadata["managedFields"];
  else draft.metadata["managedFields"] = managedFields;
}
