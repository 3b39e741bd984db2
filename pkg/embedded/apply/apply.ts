/**
 * Server-side apply: who owns which field, and what an apply request makes of an object.
 *
 *   applyPatch(live, applied, context): ApplyResult
 *     For PATCH with application/apply-patch+yaml, before defaulting, admission and validation. `live` is undefined
 *     when the object does not exist (the server then creates `result.object`). An apply that changes nothing returns
 *     `changed: false` with the live object: nothing is to be written.
 *
 *   updateManagedFields(live, next, context): ApiObject
 *     For every other write (POST, PUT, the other patches, and what admission changed after an apply), on the object as
 *     it is about to be stored: defaulted, admitted, after the kind's prepareFor rules. Returns `next` with the
 *     managedFields that the write leads to; `live` is undefined on create.
 *
 * Both are pure, never change their arguments, and share what did not change with them.
 */
import type { ApiObject, ManagedFieldsEntry, StatusCause } from "../../api/object.ts";
import type { FieldSchema } from "./field-schema.ts";

export interface WriteContext {
  /** The schema of the whole object, in the version that the request speaks. */
  readonly schema: FieldSchema;
  /** The `fieldManager` query parameter; by default the user agent up to the first "/" (at most 128 characters). */
  readonly manager: string;
  /** The version that the request speaks, e.g. "apps/v1". */
  readonly apiVersion: string;
  /** "" on the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /**
   * Top-level fields (or deeper paths) that a write through this endpoint cannot set and so does not own:
   * [["status"]] on the main resource, [["spec"], ["metadata", "labels"]…] on /status.
   */
  readonly resetFields?: readonly (readonly string[])[];
}

export interface ApplyContext extends WriteContext {
  /** Take over fields that others own. */
  readonly force: boolean;
}

export type ApplyResult =
  | { readonly kind: "applied"; readonly object: ApiObject; readonly changed: boolean }
  /** 409, reason Conflict: `message` and `causes` (reason FieldManagerConflict) as the API server words them. */
  | { readonly kind: "conflict"; readonly message: string; readonly causes: readonly StatusCause[] }
  /** 400 BadRequest (managedFields in the patch, another apiVersion …). */
  | { readonly kind: "badRequest"; readonly message: string }
  /** 500 with this message: the applied configuration does not fit the schema (duplicate list keys, wrong types). */
  | { readonly kind: "invalid"; readonly message: string };

export type ManagedFields = readonly ManagedFieldsEntry[];
