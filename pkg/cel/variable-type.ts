import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  paramOf,
  sameType,
  stringType,
  timestampType,
  type Type,
  uintType,
} from "./types.ts";

const keptTypes = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  nullType,
  stringType,
  timestampType,
  uintType,
];

/** Of a variable: of what is no plain value, list or map, later expressions know nothing. */
export function typeOfVariable(type: Type): Type {
  if (keptTypes.some((kept) => sameType(kept, type))) return type;
  if (type.kind === "list") return listType(typeOfVariable(paramOf(type, 0)));
  if (type.kind === "map") return mapType(typeOfVariable(paramOf(type, 0)), typeOfVariable(paramOf(type, 1)));
  return dynType;
}
