import { type FunctionOverload, overload } from "../declarations.ts";
import { GrowingMap, isMap, type Value } from "../values.ts";
import { asInstance } from "./arguments.ts";

function insertAll(map: Value | undefined, entries: Value): Value {
  const growing = asInstance(map, GrowingMap);
  if (!isMap(entries)) return growing;
  for (const key of entries.keys()) growing.insert(key, entries.get(key) ?? null);
  return growing;
}

/** What loops that make maps do with each entry. */
export const growingMapOverloads: readonly FunctionOverload[] = [
  overload(
    "@mapInsert_map_key_value",
    "cel.@mapInsert(map(K, V), K, V): map(K, V)",
    (map, key = null, value = null) => asInstance(map, GrowingMap).insert(key, value),
  ),
  overload("@mapInsert_map_map", "cel.@mapInsert(map(K, V), map(K, V)): map(K, V)", (map, entries = null) =>
    insertAll(map, entries),
  ),
];
