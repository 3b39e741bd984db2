// API objects as values of expressions, converted as far as they are looked at.

import { isInt64 } from "../../../api/int64.ts";
import { isJson, type Json } from "../../../api/json.ts";
import { parseTimestamp, toDuration } from "../../../cel/conversions.ts";
import { equal } from "../../../cel/operations.ts";
import { structType, type Type } from "../../../cel/types.ts";
import {
  ArrayList,
  EvaluationError,
  isMap,
  keyText,
  type ListValue,
  type MapValue,
  Timestamp,
  type Value,
} from "../../../cel/values.ts";
import { withMetadata } from "../../../cel/schemas/declared-type.ts";
import { elementSchema, type OpenApiSchema, propertySchema } from "../../../cel/schemas/open-api-schema.ts";
import { escapeName, unescapeName } from "../../../cel/schemas/escape.ts";

export function objectValue(value: unknown, schema: OpenApiSchema): Value {
  if (value === null || value === undefined) {
    if (schema.nullable === true) return null;
    throw new EvaluationError("invalid data, got null for schema with nullable=false");
  }
  if (schema["x-kubernetes-int-or-string"] === true) return intOrText(value);
  switch (schema.type ?? "") {
    case "object":
      if (!isJson(value))
        throw new EvaluationError("invalid data, expected a map for the provided schema with type=object");
      return new JsonMap(
        value,
        schema["x-kubernetes-embedded-resource"] === true ? withMetadata(schema) : schema,
      );
    case "array":
      if (!Array.isArray(value))
        throw new EvaluationError("invalid data, expected an array for the provided schema with type=array");
      return listValue(value, schema);
    case "boolean":
    case "integer":
    case "number":
    case "string":
      return scalar(value, schema);
    default:
      if (schema["x-kubernetes-preserve-unknown-fields"] === true) return untypedValue(value);
      throw new EvaluationError(
        "invalid data, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true",
      );
  }
}

function intOrText(value: unknown): Value {
  if (typeof value === "string") return value;
  if (isInt64(value)) return BigInt(value);
  throw new EvaluationError("invalid data, expected XIntOrString value to be either a string or integer");
}

function scalar(value: unknown, { type, format }: OpenApiSchema): Value {
  if (type === "boolean" && typeof value === "boolean") return value;
  if (type === "number" && (typeof value === "number" || typeof value === "bigint")) return Number(value);
  if (type === "integer" && isInt64(value)) return BigInt(value);
  if (type === "string" && typeof value === "string") return textValue(value, format);
  throw new EvaluationError(`invalid data, got null for schema with nullable=false`);
}

function textValue(value: string, format: string | undefined): Value {
  if (format === "duration") return toDuration(value);
  if (format === "date" || format === "date-time") {
    const nanos = parseTimestamp(format === "date" ? `${value}T00:00:00Z` : value);
    if (nanos === undefined) throw new EvaluationError(`Invalid ${format} formatted string ${value}`);
    return new Timestamp(nanos);
  }
  return format === "byte" ? new Uint8Array(Buffer.from(value, "base64")) : value;
}

/** What no schema tells of. */
export function untypedValue(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (isInt64(value)) return BigInt(value);
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return new JsonList(value, untypedValue);
  return new JsonMap(isJson(value) ? value : {}, { type: "object", additionalProperties: anything });
}

const anything: OpenApiSchema = { "x-kubernetes-preserve-unknown-fields": true };

function listValue(items: readonly unknown[], schema: OpenApiSchema): ListValue {
  const { items: itemSchema } = schema;
  if (itemSchema === undefined)
    throw new EvaluationError("invalid array type, expected Items with a non-empty Schema");
  const list = new JsonList(items, (item) => objectValue(item, itemSchema));
  const listType = schema["x-kubernetes-list-type"];
  if (listType === "set") return new UnorderedList(list, []);
  if (listType !== "map") return list;
  const keys = (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => escapeName(key) ?? key);
  return new UnorderedList(list, keys);
}

/** A list of JSON, whose elements become values when somebody looks at them, and then once. */
class JsonList implements ListValue {
  readonly kind = "list";
  readonly #items: readonly unknown[];
  readonly #convert: (item: unknown) => Value;
  readonly #values: (Value | undefined)[] = [];

  constructor(items: readonly unknown[], convert: (item: unknown) => Value) {
    this.#items = items;
    this.#convert = convert;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    const known = this.#values[index];
    if (known !== undefined) return known;
    if (index >= this.#items.length) throw new EvaluationError(`index out of bounds: ${index}`);
    const value = this.#convert(this.#items[index]);
    this.#values[index] = value;
    return value;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.#items.length; index++) yield this.at(index);
  }
}

/** Sets, and lists by keys: what has the same elements is equal, in whatever order. */
class UnorderedList implements ListValue {
  readonly kind = "list";
  readonly #list: ListValue;
  readonly #keys: readonly string[];
  #known: ReadonlyMap<string, Value> | undefined;

  constructor(list: ListValue, keys: readonly string[]) {
    this.#list = list;
    this.#keys = keys;
  }

  get size(): number {
    return this.#list.size;
  }

  at(index: number): Value {
    return this.#list.at(index);
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#list[Symbol.iterator]();
  }

  readonly equals = (other: ListValue): boolean => {
    const mine = this.#byKey();
    return [...other].every((item) => {
      const found = mine.get(this.#keyOf(item));
      return found !== undefined && equal(found, item);
    });
  };

  /** What has the key of another takes its place. */
  readonly plus = (other: ListValue): ListValue => {
    const all = new Map(this.#byKey());
    for (const item of other) {
      const key = this.#keyOf(item);
      if (this.#keys.length > 0 || !all.has(key)) all.set(key, item);
    }
    return new UnorderedList(new ArrayList([...all.values()]), this.#keys);
  };

  #byKey(): ReadonlyMap<string, Value> {
    this.#known ??= new Map([...this].map((item) => [this.#keyOf(item), item]));
    return this.#known;
  }

  #keyOf(item: Value): string {
    if (this.#keys.length === 0) return textOf(item);
    const parts = this.#keys.map((key) => (isMap(item) ? item.get(key) : undefined));
    return JSON.stringify(parts.map((part) => (part === undefined ? null : textOf(part))));
  }
}

const textOf = (value: Value): string => keyText(value) ?? (typeof value === "number" ? `d${value}` : "");

/** An object, or a map, of JSON. */
class JsonMap implements MapValue {
  readonly kind = "map";
  readonly type: Type | undefined;
  readonly #json: Json;
  readonly #schema: OpenApiSchema;
  readonly #values: OpenApiSchema | undefined;
  /** What has been looked at is not converted again. */
  readonly #known = new Map<string, Value>();
  #keys: readonly string[] | undefined;

  constructor(json: Json, schema: OpenApiSchema) {
    this.#json = json;
    this.#schema = schema;
    this.#values = elementSchema(schema);
    this.type = this.#values === undefined ? objectType : undefined;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const value = this.#convert(key);
    if (value !== undefined) this.#known.set(key, value);
    return value;
  }

  #convert(key: string): Value | undefined {
    const name = this.#values === undefined ? unescapeName(key) : key;
    if (!Object.hasOwn(this.#json, name)) return undefined;
    const schema = this.#values ?? propertySchema(this.#schema, name);
    return schema === undefined ? undefined : objectValue(this.#json[name], schema);
  }

  keys(): readonly string[] {
    this.#keys ??= this.#names().map((name) =>
      this.#values === undefined ? (escapeName(name) ?? name) : name,
    );
    return this.#keys;
  }

  /** Properties of which the schema knows nothing are not seen. */
  #names(): readonly string[] {
    const names = Object.keys(this.#json);
    if (this.#values !== undefined) return names;
    return names.filter((name) => propertySchema(this.#schema, name) !== undefined);
  }
}

const objectType = structType("object");
