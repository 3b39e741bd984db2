import type { Int64 } from "./int64.ts";
import type { ApiObject } from "./object.ts";
import { copyJson } from "./json-copy.ts";

/**
 * Reading and filling of decoded JSON whose shape nobody has checked yet: a value of the wrong type reads as absent,
 * so that the rules never throw on what a client sends.
 */
export type Json = Record<string, unknown>;

export function asJson(object: ApiObject): Json {
  return object as unknown as Json;
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function child(parent: Json | undefined, key: string): Json | undefined {
  const value = parent?.[key];
  return isJson(value) ? value : undefined;
}

/** The object below `keys`, or undefined as soon as one is missing. */
export function descend(parent: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let at = parent;
  for (const key of keys) at = child(at, key);
  return at;
}

/** The object at `key`, put there when missing. */
export function ensure(parent: Json, key: string): Json {
  const existing = child(parent, key);
  if (existing !== undefined) return existing;
  const created: Json = {};
  parent[key] = created;
  return created;
}

export function items(parent: Json | undefined, key: string): Json[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter(isJson) : [];
}

export function text(parent: Json | undefined, key: string): string {
  const value = parent?.[key];
  return typeof value === "string" ? value : "";
}

export function optionalText(parent: Json | undefined, key: string): string | undefined {
  const value = parent?.[key];
  return typeof value === "string" ? value : undefined;
}

/** Of a field of 64 bits. */
export function int64(parent: Json | undefined, key: string): Int64 | undefined {
  const value = parent?.[key];
  return typeof value === "number" || typeof value === "bigint" ? value : undefined;
}

/** Of a field of 32 bits. */
export function integer(parent: Json | undefined, key: string): number | undefined {
  const value = parent?.[key];
  return typeof value === "number" ? value : undefined;
}

/** A counter of 64 bits: 0 when absent. */
export function count64(parent: Json | undefined, key: string): Int64 {
  return int64(parent, key) ?? 0;
}

/** A counter: 0 when absent, as the Go types have it. */
export function count(parent: Json | undefined, key: string): number {
  return integer(parent, key) ?? 0;
}

export function flag(parent: Json | undefined, key: string): boolean {
  return parent?.[key] === true;
}

export function strings(parent: Json | undefined, key: string): string[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function stringMap(parent: Json | undefined, key: string): Readonly<Record<string, string>> {
  const value = child(parent, key);
  if (value === undefined) return {};
  if (Object.values(value).every((member) => typeof member === "string"))
    return value as Record<string, string>;
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

export function present(parent: Json | undefined, key: string): boolean {
  return parent?.[key] !== undefined && parent[key] !== null;
}

/** Sets what is missing or null: the default of a pointer field. */
export function setDefault(parent: Json, key: string, value: unknown): void {
  if (!present(parent, key)) parent[key] = value;
}

/** Sets what is missing, null, "" or 0: the default of a field that is not a pointer. */
export function setZeroDefault(parent: Json, key: string, value: unknown): void {
  if (!present(parent, key) || parent[key] === "" || parent[key] === 0) parent[key] = value;
}

/** Takes `key` over from `source`, its absence included. */
export function copyField(target: Json, source: Json, key: string): void {
  if (source[key] === undefined) delete target[key];
  else target[key] = copyJson(source[key]);
}

/**
 * Equality of API values in wire form: null, a missing field and an empty list are the same. An empty object is not:
 * `selector: {}` selects everything, no selector nothing.
 */
export function sameValue(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameValue(item, right[index]));
  }
  if (!isJson(left) || !isJson(right)) return false;
  for (const key of Object.keys(left)) if (!sameValue(left[key], right[key])) return false;
  for (const key of Object.keys(right)) {
    if (!(key in left) && !isNothing(right[key])) return false;
  }
  return true;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
