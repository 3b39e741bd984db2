// What expressions have made for a patch, as JSON.

import { toInt64 } from "../../../api/int64.ts";
import type { Json } from "../../../api/json.ts";
import { setKey } from "../../../api/patch/json.ts";
import { toText } from "../../../cel/conversions.ts";
import { typeOf } from "../../../cel/type-of.ts";
import {
  Duration,
  isList,
  isMap,
  isOpaque,
  keyText,
  type MapValue,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "../../../cel/values.ts";
import { PATCHED_OBJECT } from "../../../cel/request-types.ts";

/** It has no form in JSON, or not the one that its place asks for. */
export class PatchValueError extends Error {
  readonly code = "PatchValue";
}

export function jsonOf(value: Value): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return value;
  if (typeof value === "bigint") return toInt64(value);
  if (value instanceof Uint) return toInt64(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Duration || value instanceof Timestamp) return toText(value);
  if (value instanceof Optional && value.value !== undefined) return jsonOf(value.value);
  if (value instanceof Optional || value instanceof TypeValue || isOpaque(value))
    throw new PatchValueError(`unsupported type conversion from '${typeOf(value).name}' to JSON`);
  return isList(value) ? [...value].map(jsonOf) : jsonOfMap(value);
}

function jsonOfMap(map: MapValue): Json {
  const json: Json = {};
  for (const key of map.keys()) {
    if (typeof key !== "string") throw new PatchValueError("a key of a map is not a string");
    setKey(json, key, jsonOf(map.get(key) ?? null));
  }
  return json;
}

/** What stands at a path of an Object has to be of the type that is named after this path. */
export function requireTypesByPath(value: MapValue): void {
  const problems = wrongTypes(value, typeOf(value).name);
  if (problems.length > 0) throw new PatchValueError(`type mismatch: ${problems.join("\n")}`);
}

function wrongTypes(value: Value, path: string): readonly string[] {
  if (isList(value)) return [...value].flatMap((item) => wrongTypes(item, path));
  if (!isMap(value)) return [];
  const parts = [...value.keys()].map((key) => [keyText(key) ?? "", value.get(key) ?? null] as const);
  if (!isObjectLiteral(value)) return parts.flatMap(([, part]) => wrongTypes(part, path));
  const { name } = typeOf(value);
  const own =
    name === path
      ? []
      : [
          `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
        ];
  return [...own, ...parts.flatMap(([key, part]) => wrongTypes(part, `${path}.${key.slice(1)}`))];
}

/** Object.spec{…}, unlike maps and unlike objects of the cluster. */
export function isObjectLiteral(value: Value): value is MapValue {
  if (!isMap(value)) return false;
  const { kind, name } = typeOf(value);
  return kind === "struct" && (name === PATCHED_OBJECT || name.startsWith(`${PATCHED_OBJECT}.`));
}
