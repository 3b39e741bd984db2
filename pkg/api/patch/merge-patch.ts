import type { JsonObject } from "./json.ts";
import { isList, isObject, jsonEqual, ownValue, setKey } from "./json.ts";

/** RFC 7396: null removes, objects merge, everything else replaces. */
export function applyMergePatch(original: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return withoutNulls(patch);
  const result: Record<string, unknown> = isObject(original) ? { ...original } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setKey(result, key, applyMergePatch(ownValue(result, key), value));
  }
  return result;
}

/** upstream: json-patch.v4 takes the nulls out of objects in lists, too; those of the lists themselves stay. */
function withoutNulls(value: unknown): unknown {
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value))
    if (member !== null) setKey(result, key, withoutNulls(member));
  return result;
}

/**
 * The patch that makes `modified` of `original`; empty when they are equal. A merge patch cannot set null: a field that
 * is null in `modified` comes out absent.
 */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(original)) {
    const after = ownValue(modified, key);
    if (after === undefined || (after === null && original[key] !== null)) setKey(patch, key, null);
  }
  for (const [key, after] of Object.entries(modified)) {
    const before = ownValue(original, key);
    if (after === undefined || after === null || jsonEqual(before, after)) continue;
    setKey(patch, key, isObject(before) && isObject(after) ? createMergePatch(before, after) : after);
  }
  return patch;
}
