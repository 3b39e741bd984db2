import {
  ArrayList,
  EntryMap,
  EvaluationError,
  GrowingList,
  GrowingMap,
  isList,
  isMap,
  type Value,
} from "./values.ts";

/** What grew is done, and nothing may be added to it any more. */
export function settled(value: Value): Value {
  if (value instanceof GrowingList) return new ArrayList([...value]);
  if (value instanceof GrowingMap)
    return new EntryMap([...value.keys()].map((key) => [key, value.get(key) ?? null]));
  return value;
}

/** Elements or keys; with two variables, places and elements, or keys and values. */
export function* pairsOf(range: Value, two: boolean): Generator<readonly [one: Value, two: Value]> {
  if (isList(range)) {
    let at = 0n;
    for (const item of range) yield two ? [at++, item] : [item, null];
  } else if (isMap(range)) for (const key of range.keys()) yield [key, two ? (range.get(key) ?? null) : null];
  else throw new EvaluationError("no such overload");
}
