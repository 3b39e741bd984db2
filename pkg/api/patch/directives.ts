import type { JsonObject } from "./json.ts";
import { isList, isObject, setKey } from "./json.ts";

/** The keys and values that steer a strategic merge patch. */
export const patchKey = "$patch";
export const retainKeysKey = "$retainKeys";
export const setOrderPrefix = "$setElementOrder/";
export const deletePrefix = "$deleteFromPrimitiveList/";

/** The field that a directive such as "$setElementOrder/containers" is about. */
export function directiveTarget(key: string, prefix: string): string | undefined {
  return key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

/** What is left of a part of a patch that goes into the object as it is: neither directives nor nulls. */
export function stripDirectives(value: unknown): unknown {
  if (isList(value)) return value.map(stripDirectives);
  return isObject(value) ? stripObject(value, stripDirectives) : value;
}

/**
 * The same for a part that has no counterpart in the object: what carries a $patch is gone altogether. A list of keys to
 * retain stays there, as if it were a key of its own. upstream: strategicpatch/patch.go#removeDirectives
 */
export function stripMarked(value: unknown): unknown {
  if (isList(value)) return value.map(stripMarked).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, patchKey)) return undefined;
  return stripObject(value, stripMarked, (key) => key !== retainKeysKey && isDirective(key));
}

function stripObject(
  object: JsonObject,
  strip: (value: unknown) => unknown,
  isLeftOut = isDirective,
): JsonObject {
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) {
    if (value === null || isLeftOut(key)) continue;
    const stripped = strip(value);
    if (stripped !== undefined) setKey(result, key, stripped);
  }
  return result;
}

function isDirective(key: string): boolean {
  return (
    key === patchKey ||
    key === retainKeysKey ||
    key.startsWith(setOrderPrefix) ||
    key.startsWith(deletePrefix)
  );
}
