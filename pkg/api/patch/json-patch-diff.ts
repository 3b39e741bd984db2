import { isList, isObject, type JsonList, type JsonObject, jsonEqual, ownValue } from "./json.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/**
 * The operations that make `after` of `before`; none when they are equal. What stays in a list stays where it stood: only
 * what lies between the common start and the common end is named.
 */
export function jsonPatchBetween(before: unknown, after: unknown): readonly JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, "", operations);
  return operations;
}

function compare(before: unknown, after: unknown, path: string, operations: JsonPatchOperation[]): void {
  if (jsonEqual(before, after)) return;
  if (isObject(before) && isObject(after)) compareObjects(before, after, path, operations);
  else if (isList(before) && isList(after)) compareLists(before, after, path, operations);
  else operations.push({ op: "replace", path, value: after });
}

function compareObjects(
  before: JsonObject,
  after: JsonObject,
  path: string,
  operations: JsonPatchOperation[],
): void {
  for (const key of Object.keys(before))
    if (before[key] !== undefined && ownValue(after, key) === undefined)
      operations.push({ op: "remove", path: below(path, key) });
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = ownValue(before, key);
    if (old === undefined) operations.push({ op: "add", path: below(path, key), value });
    else compare(old, value, below(path, key), operations);
  }
}

function compareLists(
  before: JsonList,
  after: JsonList,
  path: string,
  operations: JsonPatchOperation[],
): void {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && jsonEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && jsonEqual(before.at(-1 - end), after.at(-1 - end))) end++;
  const kept = shorter - end;
  for (let index = start; index < kept; index++)
    compare(before[index], after[index], below(path, String(index)), operations);
  // From the end, so that no place moves before its turn.
  for (let index = before.length - end - 1; index >= Math.max(start, kept); index--)
    operations.push({ op: "remove", path: below(path, String(index)) });
  for (let index = Math.max(start, kept); index < after.length - end; index++)
    operations.push({ op: "add", path: below(path, String(index)), value: after[index] });
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
