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
  opaqueType,
  stringType,
  timestampType,
  type Type,
  typeOfType,
  uintType,
} from "../../pkg/cel/types.ts";
import { ArrayList, EntryMap, TypeValue, Uint, type Value } from "../../pkg/cel/values.ts";
import type { Message } from "./text-proto.ts";

const simple: Readonly<Record<string, Type>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
  TIMESTAMP: timestampType,
  DURATION: durationType,
  ANY: dynType,
};

const first = (message: Message | undefined, field: string): Message[string][number] | undefined =>
  message?.[field]?.[0];

function messageIn(message: Message | undefined, field: string): Message | undefined {
  const value = first(message, field);
  return typeof value === "object" && !(value instanceof Uint8Array) ? value : undefined;
}

/** The type of a variable; undefined where there is none of that sort here. */
export function typeOf(type: Message | undefined): Type | undefined {
  const named = first(type, "primitive") ?? first(type, "well_known");
  if (typeof named === "string") return simple[named];
  if (first(type, "dyn") !== undefined) return dynType;
  if (first(type, "null") !== undefined) return nullType;
  if (first(type, "type") !== undefined) return typeOfType(dynType);
  const list = messageIn(type, "list_type");
  if (list !== undefined) return listType(typeOf(messageIn(list, "elem_type")) ?? dynType);
  const map = messageIn(type, "map_type");
  if (map !== undefined)
    return mapType(
      typeOf(messageIn(map, "key_type")) ?? dynType,
      typeOf(messageIn(map, "value_type")) ?? dynType,
    );
  const abstract = messageIn(type, "abstract_type");
  const name = first(abstract, "name");
  if (name instanceof Uint8Array)
    return opaqueType(
      Buffer.from(name).toString(),
      typeOf(messageIn(abstract, "parameter_types")) ?? dynType,
    );
  return undefined;
}

const types: Readonly<Record<string, Type>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  int: intType,
  list: listType(dynType),
  map: mapType(dynType, dynType),
  null_type: nullType,
  string: stringType,
  type: typeOfType(dynType),
  uint: uintType,
  "google.protobuf.Timestamp": timestampType,
  "google.protobuf.Duration": durationType,
};

const literals: Readonly<Record<string, (literal: string) => Value>> = {
  bool_value: (literal) => literal === "true",
  int64_value: (literal) => BigInt(literal),
  uint64_value: (literal) => new Uint(BigInt(literal)),
  double_value: numberOf,
  null_value: () => null,
};

function numberOf(literal: string): number {
  if (/^-?inf/i.test(literal)) return literal.startsWith("-") ? -Infinity : Infinity;
  return Number(literal);
}

/** Undefined for a message. */
export function valueOf(value: Message): Value | undefined {
  const [field = "", [content] = []] = Object.entries(value)[0] ?? [];
  if (content === undefined) return undefined;
  if (typeof content === "string") return literals[field]?.(content);
  if (content instanceof Uint8Array) {
    if (field === "bytes_value") return content;
    const text = Buffer.from(content).toString();
    if (field === "string_value") return text;
    const type = field === "type_value" ? types[text] : undefined;
    return type && new TypeValue(type);
  }
  if (field === "list_value") return listOf(content["values"] ?? []);
  return field === "map_value" ? mapOf(content["entries"] ?? []) : undefined;
}

function listOf(values: Message[string]): Value | undefined {
  const items = values.map((item) => valueOf(item as Message));
  return items.some((item) => item === undefined) ? undefined : new ArrayList(items as Value[]);
}

function mapOf(entries: Message[string]): Value | undefined {
  const pairs = entries.map((entry) =>
    ["key", "value"].map((part) => valueOf(messageIn(entry as Message, part) ?? {})),
  );
  return pairs.flat().some((part) => part === undefined)
    ? undefined
    : new EntryMap(pairs as [Value, Value][]);
}
