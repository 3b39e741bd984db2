/**
 * Server-side apply: who owns which field, and what an apply request makes of an object.
 *
 *   applyPatch(live, applied, context): Steps<ApplyResult>
 *     For PATCH with application/apply-patch+yaml, before defaulting, admission and validation. `live` is undefined
 *     when the object does not exist (the server then creates `result.object`). An apply that changes nothing returns
 *     an object that is equal to the live one.
 *
 *   updateManagedFields(live, next, context): Steps<ApiObject>
 *     For every other write (POST, PUT, the other patches), on the object as the client meant it: decoded and defaulted,
 *     but before admission and the kind's prepareFor rules, whose work nobody owns. Returns `next` with the managedFields
 *     that the write leads to; `live` is undefined on create.
 *
 * Both are pure, never change their arguments, share what did not change with them, and pause between passes through the
 * whole object.
 */
import type { ApiObject, ManagedFieldsEntry, StatusCause } from "../../api/object.ts";
import { isJson } from "../../api/json.ts";
import { jsonEqual } from "../../api/patch/json.ts";
import { done, type Steps } from "../../api/steps.ts";
import { formatTime } from "../../api/time.ts";
import type { Conflict } from "./conflict.ts";
import { conflictsOf, describeConflicts } from "./conflict.ts";
import type { FieldSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { emptySet, hasPath, isEmptySet, union, withoutSubtrees } from "./field-set.ts";
import { lastAppliedFields, withLastApplied } from "./last-applied.ts";
import type { Manager, Managers } from "./managers.ts";
import {
  capUpdateManagers,
  decodeManagers,
  isReset,
  ManagedFieldsError,
  managerId,
  withManager,
} from "./managers.ts";
import { bare, withManagers, withoutNulls } from "./managed-object.ts";
import { mergeApplied } from "./merge.ts";
import { compareWritten, differing, prune, takeFromOthers, withoutUnowned } from "./ownership.ts";
import { fieldsOf } from "./own-fields.ts";
import { complete, TypedValueError } from "./typed-value.ts";
import { validateApplied } from "./validate.ts";

export interface WriteContext {
  /** The schema of the whole object, in the version that the request speaks. */
  readonly schema: FieldSchema;
  /** The `fieldManager` query parameter; by default the user agent up to the first "/" (at most 128 characters). */
  readonly manager: string;
  /** The version that the request speaks, e.g. "apps/v1". */
  readonly apiVersion: string;
  /** The kind that the endpoint serves; an applied object of another kind is refused. */
  readonly kind?: string;
  /** What a new object of the kind holds before anybody has said anything: its type's zeros, complete. */
  readonly empty?: Readonly<Record<string, unknown>>;
  /** "" on the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /**
   * Top-level fields (or deeper paths) that a write through this endpoint cannot set and so does not own: the status on
   * the main resource, spec, metadata.labels … on /status.
   */
  readonly resetFields?: FieldSet;
}

export interface ApplyContext extends WriteContext {
  /** Take over fields that others own. */
  readonly force: boolean;
  /** What is applied as null stays null in the object, for its types to say what that is: in maps, an empty value. */
  readonly keepsNulls?: boolean;
}

export type ApplyResult =
  | { readonly kind: "applied"; readonly object: ApiObject }
  /** 409, reason Conflict: `message` and `causes` (reason FieldManagerConflict) as the API server words them. */
  | { readonly kind: "conflict"; readonly message: string; readonly causes: readonly StatusCause[] }
  /** 400 BadRequest (managedFields in the patch, another apiVersion …). */
  | { readonly kind: "badRequest"; readonly message: string }
  /** 500 with this message: the applied configuration does not fit the schema (duplicate list keys, wrong types). */
  | { readonly kind: "invalid"; readonly message: string };

/** See above. */
export function* applyPatch(
  live: ApiObject | undefined,
  applied: ApiObject,
  context: ApplyContext,
): Steps<ApplyResult> {
  const refusal = refuse(live, applied, context);
  if (refusal !== undefined) return refusal;
  try {
    return yield* merge(live, applied, context);
  } catch (error) {
    if (error instanceof TypedValueError) return { kind: "invalid", message: error.message };
    if (error instanceof ManagedFieldsError) {
      return { kind: "invalid", message: `failed to decode managed fields: ${error.message}` };
    }
    throw error;
  }
}

/** See above. */
export function* updateManagedFields(
  live: ApiObject | undefined,
  next: ApiObject,
  context: WriteContext,
): Steps<ApiObject> {
  const managers = yield* managersOfUpdate(live, next, context);
  // An object that nobody has managed so far is not taken under management by an update.
  if (live !== undefined && managers.size === 0) return yield* withManagers(next, managers);
  try {
    const after = yield* capUpdateManagers(yield* afterUpdate(managers, live, next, context));
    return yield* withManagers(next, after);
  } catch (error) {
    // upstream: managedfields/internal/fieldmanager.go#UpdateNoErrors keeps no managers that it cannot reckon with.
    if (error instanceof TypedValueError) return yield* withManagers(next, new Map());
    throw error;
  }
}

function refuse(
  live: ApiObject | undefined,
  applied: ApiObject,
  { apiVersion, kind = live?.kind ?? applied.kind }: ApplyContext,
): ApplyResult | undefined {
  if (applied.apiVersion !== apiVersion || applied.kind !== kind) {
    const [group, version] = (applied.apiVersion ?? "").includes("/")
      ? (applied.apiVersion ?? "").split("/", 2)
      : ["", applied.apiVersion];
    return {
      kind: "badRequest",
      message: `invalid object type: ${group ?? ""}/${version ?? ""}, Kind=${applied.kind ?? ""}`,
    };
  }
  return isManaged(applied)
    ? { kind: "badRequest", message: "metadata.managedFields must be nil" }
    : undefined;
}

/** What is nothing of the kind is for the schema to refuse. */
function isManaged({ metadata }: ApiObject): boolean {
  const given: unknown = metadata.managedFields;
  if (!Array.isArray(given)) return false;
  return given.every((entry) => isEntry(entry));
}

function isEntry(entry: unknown): boolean {
  if (!isJson(entry)) return false;
  return Object.entries(entry).every(
    ([key, value]) => key === "fieldsV1" || value === null || typeof value === "string",
  );
}

interface Outcome {
  readonly object: ApiObject;
  readonly managers: Managers;
  readonly conflicts: readonly Conflict[];
}

function* merge(live: ApiObject | undefined, applied: ApiObject, context: ApplyContext): Steps<ApplyResult> {
  yield* validateApplied(context.schema, applied);
  yield;
  const before = yield* managersBeforeApply(live, context);
  yield;
  const outcome = yield* mergeInto(before, live, applied, context);
  yield;
  if (outcome.conflicts.length > 0 && !context.force) {
    const conflicts = conflictsOutside(outcome.conflicts, yield* lastAppliedFields(live, context));
    if (conflicts.length > 0) return { kind: "conflict", ...(yield* describeConflicts(conflicts)) };
  }
  const isSame = live !== undefined && jsonEqual(yield* comparable(live, context), outcome.object);
  yield;
  const applier = outcome.managers.get(managerId(writerOf(context, "Apply")));
  // upstream: managedfields/internal/managedfieldsupdater.go#Apply leaves the time alone when the object stays as it is.
  const managers =
    isSame || applier === undefined
      ? outcome.managers
      : withManager(outcome.managers, { ...applier, time: formatTime(context.nowMs) });
  yield;
  const object = yield* withManagers(withLastApplied(outcome.object, applied, context.manager), managers);
  return { kind: "applied", object };
}

/** The live object in the form that the merged one has. */
function* comparable(live: ApiObject, { keepsNulls }: ApplyContext): Steps<unknown> {
  return keepsNulls === true ? bare(live) : yield* withoutNulls(bare(live));
}

function* mergeInto(
  managers: Managers,
  live: ApiObject | undefined,
  applied: ApiObject,
  context: ApplyContext,
): Steps<Outcome> {
  const { schema, resetFields: reset = emptySet } = context;
  const base = live === undefined ? {} : bare(live);
  const applier = writerOf(context, "Apply");
  const id = managerId(applier);
  const last = managers.get(id);
  const fields = yield* withoutSubtrees(yield* fieldsOf(schema, applied), reset);
  const claimed = withManager(managers, { ...applier, time: last?.time ?? "", fields });
  yield;
  const merged = yield* mergeApplied(schema, base, applied);
  yield;
  const pruned = last === undefined ? merged : yield* prune(schema, merged, claimed, last.fields);
  yield;
  const [was, is] = [yield* complete(schema, base), yield* complete(schema, pruned)];
  const comparison = yield* compareWritten(schema, was, is, reset);
  yield;
  const object = (context.keepsNulls === true ? pruned : yield* withoutNulls(pruned)) as ApiObject;
  const { managers: after, losses } = yield* takeFromOthers(claimed, id, comparison);
  yield;
  const conflicts = yield* conflictsOf(losses);
  const mine = after.get(id);
  if (mine === undefined) return { object, managers: after, conflicts };
  const owned = { ...mine, fields: yield* withoutUnowned(mine.fields) };
  return { object, managers: withManager(after, owned), conflicts };
}

function conflictsOutside(conflicts: readonly Conflict[], own: FieldSet | undefined): readonly Conflict[] {
  if (own === undefined) return conflicts;
  return conflicts.filter(({ path }) => !hasPath(own, path));
}

/** What an object held before anybody applied to it belongs to a manager of that name, so that applies meet conflicts. */
function* managersBeforeApply(live: ApiObject | undefined, context: WriteContext): Steps<Managers> {
  const managers = yield* decodeManagers(live?.metadata.managedFields);
  if (live === undefined || managers.size > 0) return managers;
  return yield* afterUpdate(managers, undefined, live, { ...context, manager: "before-first-apply" });
}

/** A client may hand back the managers, changed or not, or reset them; subresources have no say in them. */
function* managersOfUpdate(
  live: ApiObject | undefined,
  next: ApiObject,
  { subresource }: WriteContext,
): Steps<Managers> {
  if (subresource !== "") return yield* decodeOrNone(live);
  if (isReset(next.metadata.managedFields)) return new Map();
  const managers = yield* decodeOrNone(next);
  return managers.size > 0 ? managers : yield* decodeOrNone(live);
}

function decodeOrNone(object: ApiObject | undefined): Steps<Managers> {
  const { managedFields } = object?.metadata ?? {};
  return managedFields === undefined ? done(new Map()) : decodeGiven(managedFields);
}

function* decodeGiven(entries: readonly ManagedFieldsEntry[]): Steps<Managers> {
  try {
    return yield* decodeManagers(entries);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return new Map();
    throw error;
  }
}

function* afterUpdate(
  managers: Managers,
  live: ApiObject | undefined,
  next: ApiObject,
  context: WriteContext,
): Steps<Managers> {
  const { schema, resetFields: reset = emptySet, empty } = context;
  const [before, after] = live === undefined ? [{}, bare(next)] : differing(bare(live), bare(next));
  yield;
  const was = live === undefined && empty !== undefined ? empty : yield* complete(schema, before);
  const is = yield* complete(schema, after);
  const comparison = yield* compareWritten(schema, was, is, reset);
  yield;
  const { managers: others } = yield* takeFromOthers(managers, "", comparison);
  yield;
  const written = yield* withoutUnowned(yield* union(comparison.modified, comparison.added));
  if (isEmptySet(written)) return others;
  const writer = writerOf(context, "Update");
  const previous = others.get(managerId(writer));
  const fields = previous === undefined ? written : yield* union(written, previous.fields);
  return withManager(others, { ...writer, time: formatTime(context.nowMs), fields });
}

function writerOf(context: WriteContext, operation: Manager["operation"]): Omit<Manager, "fields" | "time"> {
  const { apiVersion, subresource } = context;
  return { name: context.manager === "" ? "unknown" : context.manager, operation, apiVersion, subresource };
}
