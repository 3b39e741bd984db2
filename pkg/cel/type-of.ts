import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  type Kind,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  type Type,
  typeType,
  uintType,
} from "./types.ts";
import { Duration, isList, isMap, Optional, Timestamp, TypeValue, Uint, type Value } from "./values.ts";

const listOfAny = listType(dynType);
const mapOfAny = mapType(dynType, dynType);
const optionalOfAny = optionalType(dynType);

/** The type of a value, without what its elements are. */
export function typeOf(value: Value): Type {
  if (value === null) return nullType;
  if (typeof value === "boolean") return boolType;
  if (typeof value === "bigint") return intType;
  if (typeof value === "number") return doubleType;
  if (typeof value === "string") return stringType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof TypeValue) return typeType;
  if (value instanceof Optional) return optionalOfAny;
  if (isList(value)) return listOfAny;
  return isMap(value) ? (value.type ?? mapOfAny) : value.type;
}

/** What JavaScript calls those that it has. */
const primitives: Partial<Record<Kind, string>> = {
  bool: "boolean",
  double: "number",
  int: "bigint",
  string: "string",
};

/** Whether a value may be given for a parameter of a type, as far as that can be seen from outside. */
export function matchesType(value: Value, type: Type): boolean {
  if (type.kind === "dyn" || type.kind === "typeParam") return true;
  const primitive = primitives[type.kind];
  if (primitive !== undefined) return typeof value === primitive;
  const actual = typeOf(value);
  return actual.kind === type.kind && actual.name === type.name;
}
