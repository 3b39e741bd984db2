/** Decoded JSON. What patches take in they never change, and share with what they return. */
export type JsonObject = Readonly<Record<string, unknown>>;
export type JsonList = readonly unknown[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isList(value: unknown): value is JsonList {
  return Array.isArray(value);
}

/** Strict equality of JSON documents: the order of keys does not count, everything else does. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isList(a) && isList(b)) {
    return a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  // Controllers compare whole templates in each sync: no lists of keys are made.
  let left = countKeys(b);
  for (const key in a) {
    if (a[key] === undefined) continue;
    if (!Object.hasOwn(b, key) || !jsonEqual(a[key], b[key])) return false;
    left--;
  }
  return left === 0;
}

/** An object in the making. `__proto__` is an ordinary key of JSON and must not reach the setter of that name. */
export function setKey(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[key] = value;
  }
}

export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A key that holds undefined is none: it would not be written. */
function countKeys(object: JsonObject): number {
  let count = 0;
  for (const key in object) if (object[key] !== undefined) count++;
  return count;
}
