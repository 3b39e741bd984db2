// The variables of the recorded expressions, and values written as hack/print-cel-answers.go writes them.

import { formatTimestamp } from "./conversions.ts";
import { formatDouble } from "./numbers.ts";
import {
  ArrayList,
  Duration,
  EntryMap,
  isList,
  isMap,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

const nested = new EntryMap([
  ["n", 1n],
  ["f", 1.5],
  ["t", "x"],
  ["list", new ArrayList([1n, "two"])],
  ["empty", new EntryMap([])],
]);

export const sampleVariables: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["i", 7n],
  ["s", "text"],
  ["l", new ArrayList(["b", "a"])],
  ["m", new EntryMap([["k", "v"]])],
  ["d", nested],
]);

export function plain(value: Value): unknown {
  if (value === null) return "null";
  if (typeof value === "boolean") return value;
  if (typeof value === "bigint") return `int ${value}`;
  if (value instanceof Uint) return `uint ${value.value}`;
  if (typeof value === "number") return `double ${formatDouble(value)}`;
  if (typeof value === "string") return `string ${value}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("base64")}`;
  if (value instanceof Duration) return `duration ${value.nanos}`;
  if (value instanceof Timestamp) return `timestamp ${formatTimestamp(value)}`;
  if (value instanceof Optional) return value.value === undefined ? "none" : { some: plain(value.value) };
  if (value instanceof TypeValue) return `type ${value.type.name}`;
  if (isList(value)) return [...value].map(plain);
  if (!isMap(value)) return `opaque ${value.type.name}`;
  const entries = [...value.keys()].map((key) => [plain(key), plain(value.get(key) ?? null)] as const);
  return { map: entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)) };
}
