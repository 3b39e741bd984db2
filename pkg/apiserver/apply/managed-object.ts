import type { ApiObject } from "../../api/object.ts";
import { jsonEqual, setKey } from "../../api/patch/json.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import type { Managers } from "./managers.ts";
import { encodeManagers } from "./managers.ts";
import { isLeaf, isList, isObject } from "./typed-value.ts";

/** Managers do not manage their own list. */
export function bare(object: ApiObject): ApiObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function* withManagers(object: ApiObject, managers: Managers): Steps<ApiObject> {
  const managedFields = yield* encodeManagers(managers);
  const plain = bare(object);
  return managedFields === undefined ? plain : { ...plain, metadata: { ...plain.metadata, managedFields } };
}

/** A field applied as null is owned, but not there. */
export function* withoutNulls(value: unknown): Steps<unknown> {
  let count = 0;
  if (isList(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (++count % STEP === 0) yield;
      items.push(isLeaf(item) ? item : yield* withoutNulls(item));
    }
    return items;
  }
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (++count % STEP === 0) yield;
    const part = value[key];
    if (part === null || part === undefined) continue;
    setKey(kept, key, isLeaf(part) ? part : yield* withoutNulls(part));
  }
  return kept;
}

/**
 * `next` with the times of `live`, if nothing else has changed: what an apply says differently ("1000m" for "1") may be
 * the same once it is stored, and a write that changes nothing must not make a new version of the object.
 */
export function withTimesOfNoop(live: ApiObject, next: ApiObject): ApiObject {
  const [before, after] = [live.metadata.managedFields, next.metadata.managedFields];
  if (before === undefined || after?.length !== before.length) return next;
  const managedFields = after.map((entry, index) => {
    const { time: _, ...rest } = entry;
    const time = before[index]?.time;
    return time === undefined ? rest : { ...rest, time };
  });
  const timeless = { ...next, metadata: { ...next.metadata, managedFields } };
  return jsonEqual(timeless, live) ? timeless : next;
}
