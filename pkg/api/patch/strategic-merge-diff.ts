import { deletePrefix, patchKey, retainKeysKey, setOrderPrefix } from "./directives.ts";
import type { JsonList, JsonObject } from "./json.ts";
import { isList, isObject, jsonEqual, ownValue, setKey } from "./json.ts";
import { elementKind, identityOf, Positions, requireKey, sortLike } from "./list-order.ts";
import type { PatchField, PatchSchema } from "./patch-schema.ts";

/** The strategic merge patch that makes `modified` of `original`; empty when they are equal. */
export function createStrategicMergePatch(
  original: JsonObject,
  modified: JsonObject,
  schema: PatchSchema,
): JsonObject {
  return diffObjects(original, modified, schema, false);
}

function diffObjects(
  original: JsonObject,
  modified: JsonObject,
  schema: PatchSchema,
  retainKeys: boolean,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [key, after] of Object.entries(modified)) {
    if (after === undefined) continue;
    const before = ownValue(original, key);
    if (isObject(before) && isObject(after))
      diffObjectField(patch, { key, before, after }, schema.field(key));
    else if (isList(before) && isList(after)) diffListField(patch, { key, before, after }, schema.field(key));
    else if (!jsonEqual(before, after)) setKey(patch, key, after);
  }
  const gone = Object.keys(original).filter((key) => ownValue(modified, key) === undefined);
  for (const key of gone) setKey(patch, key, null);
  const changed = Object.keys(patch).length > 0 || gone.some((key) => original[key] !== null);
  if (retainKeys && changed) {
    const kept = Object.keys(modified).filter((key) => modified[key] !== null && modified[key] !== undefined);
    if (kept.length > 0) patch[retainKeysKey] = kept.sort();
  }
  return patch;
}

/** A field that both objects have. */
interface Change<T> {
  readonly key: string;
  readonly before: T;
  readonly after: T;
}

function diffObjectField(
  patch: Record<string, unknown>,
  { key, before, after }: Change<JsonObject>,
  field: PatchField | undefined,
): void {
  if (field?.strategy === "replace") {
    if (!jsonEqual(before, after)) setKey(patch, key, after);
    return;
  }
  const schema = field?.schema ?? { field: () => undefined };
  const difference = diffObjects(before, after, schema, field?.retainKeys ?? false);
  if (Object.keys(difference).length > 0) setKey(patch, key, difference);
}

function diffListField(
  patch: Record<string, unknown>,
  { key, before, after }: Change<JsonList>,
  field: PatchField | undefined,
): void {
  if (jsonEqual(before, after)) return;
  if (field?.strategy !== "merge" || before.length === 0) {
    setKey(patch, key, after);
    return;
  }
  const ofObjects = elementKind([before, after]) === "object";
  const { items, deleted } = ofObjects
    ? { items: diffItems(before as JsonObject[], after as JsonObject[], field), deleted: [] }
    : diffScalars(before, after);
  if (items.length > 0) setKey(patch, key, items);
  if (deleted.length > 0) patch[deletePrefix + key] = deleted;
  if (after.length > 0) {
    const { mergeKey } = field;
    patch[setOrderPrefix + key] = ofObjects
      ? after.map((item) => ({ [mergeKey]: identityOf(item, mergeKey) }))
      : after;
  }
}

function diffScalars(before: JsonList, after: JsonList): { items: JsonList; deleted: JsonList } {
  const [old, now] = [new Set(before), new Set(after)];
  const items = [...now].filter((item) => !old.has(item));
  const deleted = [...old].filter((item) => !now.has(item));
  return { items, deleted: deleted.sort(byText) };
}

/** What is new or changed in the order of `after`, then the deletions. */
function diffItems(before: readonly JsonObject[], after: readonly JsonObject[], field: PatchField): JsonList {
  const { mergeKey } = field;
  // Lists with a key twice are not valid, but exist: the items of one key are matched in their order.
  const byKey = Map.groupBy(before, (item) => requireKey(item, mergeKey));
  const items: JsonObject[] = [];
  for (const item of after) {
    const identity = requireKey(item, mergeKey);
    const counterpart = byKey.get(identity)?.shift();
    if (counterpart === undefined) {
      items.push(item);
      continue;
    }
    const difference = diffObjects(counterpart, item, field.schema, field.retainKeys);
    if (Object.keys(difference).length > 0) items.push({ ...difference, [mergeKey]: identity });
  }
  const deleted = [...byKey.values()]
    .flatMap((left) => left.map((item) => item[mergeKey]))
    .sort(byText)
    .map((identity) => ({ [mergeKey]: identity, [patchKey]: "delete" }));
  return [...sortLike(items, new Positions(after, mergeKey)), ...deleted];
}

function byText(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
