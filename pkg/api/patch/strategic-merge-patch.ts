import { goValue } from "../go-value.ts";
import {
  deletePrefix,
  directiveTarget,
  patchKey,
  retainKeysKey,
  setOrderPrefix,
  stripDirectives,
  stripMarked,
} from "./directives.ts";
import type { JsonList, JsonObject } from "./json.ts";
import { isList, isObject, ownValue, setKey } from "./json.ts";
import { elementKind, identityOf, orderMerged, Positions, requireKey } from "./list-order.ts";
import { PatchError } from "./patch-error.ts";
import type { PatchField, PatchSchema } from "./patch-schema.ts";

const unknownField: PatchField = {
  strategy: undefined,
  retainKeys: false,
  mergeKey: "",
  schema: { field: () => undefined },
};

/** Kubernetes' own kind of patch: like a merge patch, but lists merge by key where the schema says so. */
export function applyStrategicMergePatch(
  original: JsonObject,
  patch: JsonObject,
  schema: PatchSchema,
): JsonObject {
  return mergeObjects(original, patch, schema);
}

function mergeObjects(original: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  if (Object.hasOwn(patch, patchKey)) return applyDirective(patch);
  const result = retainedKeys(original, patch);
  const ordered = mergeOrderedLists(result, patch, schema);
  for (const [key, value] of Object.entries(patch)) {
    if (key === retainKeysKey || ordered.has(key) || key.startsWith(setOrderPrefix)) continue;
    const deletedFrom = directiveTarget(key, deletePrefix);
    if (deletedFrom === undefined) mergeField(result, key, value, schema);
    else deleteFromList(result, deletedFrom, value);
  }
  return result;
}

function applyDirective(patch: JsonObject): JsonObject {
  switch (patch[patchKey]) {
    case "replace":
      return stripDirectives(patch) as JsonObject;
    case "delete":
      return {};
    default:
      throw unknownDirective(patch);
  }
}

function mergeField(result: Record<string, unknown>, key: string, value: unknown, schema: PatchSchema): void {
  const before = ownValue(result, key);
  if (value === null) {
    delete result[key];
    return;
  }
  const hasBoth = (isObject(before) && isObject(value)) || (isList(before) && isList(value));
  if (schema.opaque !== undefined && hasBoth)
    throw new PatchError(
      "Internal",
      `unable to find api field in struct ${schema.opaque} for the json field ${JSON.stringify(key)}`,
    );
  const field = schema.field(key) ?? unknownField;
  const merged = mergedValue(before, value, field);
  if (merged === undefined) delete result[key];
  else setKey(result, key, merged);
}

/** undefined: the patch takes the field away. */
function mergedValue(before: unknown, value: unknown, field: PatchField): unknown {
  if (isObject(before) && isObject(value)) {
    return field.strategy === "replace" ? stripDirectives(value) : mergeObjects(before, value, field.schema);
  }
  if (isList(before) && isList(value)) return mergeLists(before, value, field);
  return stripMarked(value);
}

function mergeLists(live: JsonList, patch: JsonList, field: PatchField): JsonList {
  if (field.strategy !== "merge") return stripDirectives(patch) as JsonList;
  if (live.length === 0 && patch.length === 0) return live;
  if (elementKind([live, patch]) === "scalar") {
    return orderMerged([...new Set([...live, ...patch])], patch, live, "");
  }
  const { mergeKey } = field;
  if (mergeKey === "") throw new PatchError("Internal", "cannot merge lists without merge key");
  const { kept, items } = applyItemDirectives(live as JsonObject[], patch as JsonObject[], mergeKey);
  return orderMerged(mergeItems(kept, items, field), items, kept, mergeKey);
}

/** Items that say `$patch: delete` remove their likes; one that says `$patch: replace` removes all others. */
function applyItemDirectives(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { kept: readonly JsonObject[]; items: readonly JsonObject[] } {
  const deleted = new Set<unknown>();
  let replaced = false;
  for (const item of patch) {
    const directive = ownValue(item, patchKey);
    if (directive === "delete") {
      deleted.add(requireKey(item, mergeKey));
    } else if (directive === "replace") {
      replaced = true;
    } else if (directive === "merge") {
      throw new PatchError("Internal", "merging lists cannot yet be specified in the patch");
    } else if (directive !== undefined) {
      throw unknownDirective(item);
    }
  }
  const items = patch.filter((item) => !Object.hasOwn(item, patchKey));
  return replaced
    ? { kept: items.map((item) => stripDirectives(item) as JsonObject), items: [] }
    : { kept: live.filter((other) => !deleted.has(ownValue(other, mergeKey))), items };
}

function mergeItems(live: readonly JsonObject[], items: readonly JsonObject[], field: PatchField): JsonList {
  const merged = [...live];
  const positions = new Positions(live, field.mergeKey);
  for (const item of items) {
    requireKey(item, field.mergeKey);
    const index = positions.of(item);
    const found = merged[index];
    if (found === undefined) {
      positions.add(item, merged.length);
      merged.push(stripDirectives(item) as JsonObject);
    } else merged[index] = mergeObjects(found, item, field.schema);
  }
  return merged;
}

/** `$setElementOrder/x` gives the order of the list x, which need not be in the patch. Returns the fields dealt with. */
function mergeOrderedLists(
  result: Record<string, unknown>,
  patch: JsonObject,
  schema: PatchSchema,
): ReadonlySet<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    const key = directiveTarget(directive, setOrderPrefix);
    if (key === undefined) continue;
    const live = optionalList(result, key);
    const items = optionalList(patch, key);
    const field = schema.field(key) ?? unknownField;
    if (!isList(order)) {
      throw new PatchError("BadRequest", "invalid patch format of setElementOrder list");
    }
    checkOrder(items ?? [], order, field.mergeKey);
    done.add(key);
    const merged = mergedForOrder(live, items, field);
    if (merged === undefined) continue;
    const liveOrder = orderAfterMerge(live ?? [], merged, field.mergeKey);
    setKey(result, key, orderMerged(merged, order, liveOrder, field.mergeKey));
  }
  return done;
}

/**
 * upstream: strategicpatch/patch.go#mergePatchIntoOriginal orders by a list that the merge has changed under its feet:
 * items added take the places that deleted ones have left, as many as there are.
 */
function orderAfterMerge(live: JsonList, merged: JsonList, mergeKey: string): JsonList {
  const [before, after] = [new Positions(live, mergeKey), new Positions(merged, mergeKey)];
  const kept = live.filter((item) => after.has(item));
  const added = merged.filter((item) => !before.has(item));
  return [...kept, ...added.slice(0, live.length - kept.length)];
}

function mergedForOrder(
  live: JsonList | undefined,
  items: JsonList | undefined,
  field: PatchField,
): JsonList | undefined {
  if (items === undefined) return live;
  return live === undefined ? (stripMarked(items) as JsonList) : mergeLists(live, items, field);
}

/** The items of the patch have to come in the order that the patch itself asks for. */
function checkOrder(items: JsonList, order: JsonList, mergeKey: string): void {
  if (items.length === 0 || order.length === 0) return;
  let next = 0;
  for (const item of items) {
    if (isObject(item) && Object.hasOwn(item, patchKey)) continue;
    while (next < order.length && identityOf(order[next], mergeKey) !== identityOf(item, mergeKey)) next++;
    if (next === order.length) {
      throw new PatchError(
        "Internal",
        `The order in patch list:\n${JSON.stringify(items)}\n doesn't match $setElementOrder list:\n${JSON.stringify(order)}\n`,
      );
    }
    next++;
  }
}

function deleteFromList(result: Record<string, unknown>, key: string, items: unknown): void {
  if (!isList(items)) throw new PatchError("BadRequest", "invalid patch format of primitive list");
  const live = ownValue(result, key);
  if (!isList(live)) return;
  const gone = new Set(items);
  const kept = live.filter((item) => !gone.has(item));
  setKey(result, key, kept);
}

/** `$retainKeys` lists the keys that stay or come; every other key of the object goes. */
function retainedKeys(original: JsonObject, patch: JsonObject): Record<string, unknown> {
  const retained = ownValue(patch, retainKeysKey);
  if (retained === undefined) return { ...original };
  if (!isList(retained)) throw badRetainKeys();
  const stays = new Set(retained);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key === retainKeysKey) continue;
    if (key.startsWith(setOrderPrefix) || key.startsWith(deletePrefix)) continue;
    if (!stays.has(key)) throw badRetainKeys();
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => stays.has(key)));
}

function optionalList(object: JsonObject, key: string): JsonList | undefined {
  const value = ownValue(object, key);
  if (value === undefined || isList(value)) return value;
  const kind = value === null ? "nil" : typeof value;
  throw new PatchError("Internal", `expected a []interface {}, but received a ${kind}`);
}

function unknownDirective(patch: JsonObject): PatchError {
  return new PatchError(
    "Internal",
    `unknown patch type: ${String(patch[patchKey])} in map: ${goValue(patch)}`,
  );
}

function badRetainKeys(): PatchError {
  return new PatchError("BadRequest", "invalid patch format of retainKeys");
}
