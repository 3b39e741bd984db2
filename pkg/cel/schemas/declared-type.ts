// What schemas say of types and of how much can be in an object.

import type { TypeProvider } from "../environment.ts";
import type { SizeOf } from "../estimate.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  structType,
  timestampType,
  type Type,
} from "../types.ts";
import { elementSchema, type OpenApiSchema } from "./open-api-schema.ts";
import { escapeName } from "./escape.ts";

export interface DeclaredType {
  readonly type: Type;
  /** Of an object, by their escaped names. */
  readonly fields: ReadonlyMap<string, DeclaredType>;
  readonly element: DeclaredType | undefined;
  readonly key: DeclaredType | undefined;
  /** Letters, elements or entries at most. */
  readonly maxElements: number;
  /** Bytes at least, as JSON. */
  readonly minSize: number;
}

export const maxRequestBytes = 3 * 1024 * 1024;

const noFields: ReadonlyMap<string, DeclaredType> = new Map();

function simple(type: Type, minSize: number, maxElements = 0): DeclaredType {
  return { type, fields: noFields, element: undefined, key: undefined, maxElements, minSize };
}

const text: OpenApiSchema = { type: "string" };
const metadata: OpenApiSchema = { type: "object", properties: { name: text, generateName: text } };

/** Every object has a kind, and a name, whatever its schema says. */
export function withMetadata(schema: OpenApiSchema): OpenApiSchema {
  const { properties } = schema;
  const known = properties?.["metadata"];
  const complete =
    properties?.["kind"]?.type === "string" &&
    properties["apiVersion"]?.type === "string" &&
    known?.properties?.["name"]?.type === "string" &&
    known.properties["generateName"]?.type === "string";
  if (complete) return schema;
  return { ...schema, properties: { ...properties, kind: text, apiVersion: text, metadata } };
}

/** Undefined for what expressions cannot see, as nothing is known of it. */
export function declaredType(schema: OpenApiSchema, isRoot: boolean, name: string): DeclaredType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true)
    return simple(
      dynType,
      1,
      schema.maxLength === undefined ? maxRequestBytes - 2 : atLeast0(schema.maxLength) * 4,
    );
  const whole = isRoot ? withMetadata(schema) : schema;
  switch (whole.type ?? "") {
    case "array":
      return listOf(whole, name);
    case "object":
      return elementSchema(whole) === undefined ? objectOf(whole, name) : mapOf(whole, name);
    case "string":
      return textOf(whole);
    case "boolean":
      return simple(boolType, 4);
    case "number":
      return simple(doubleType, 1);
    case "integer":
      return simple(intType, 1);
    default:
      return undefined;
  }
}

const atLeast0 = (value: number): number => Math.max(0, value);
export const isEmbedded = (schema: OpenApiSchema): boolean =>
  schema["x-kubernetes-embedded-resource"] === true;

function listOf({ items, maxItems }: OpenApiSchema, name: string): DeclaredType | undefined {
  const element = items === undefined ? undefined : declaredType(items, isEmbedded(items), `${name}.@idx`);
  if (element === undefined) return undefined;
  return {
    ...simple(listType(element.type), 2),
    element,
    maxElements: maxItems === undefined ? most(element.minSize + 1) : atLeast0(maxItems),
  };
}

/** How many fit into a request. */
const most = (bytesEach: number): number => Math.trunc((maxRequestBytes - 2) / bytesEach);

function mapOf(schema: OpenApiSchema, name: string): DeclaredType | undefined {
  const values = elementSchema(schema);
  if (values === undefined) return undefined;
  const element = declaredType(values, isEmbedded(values), `${name}.@elem`);
  if (element === undefined) return undefined;
  const { maxProperties } = schema;
  return {
    ...simple(mapType(stringType, element.type), 2),
    element,
    key: simple(stringType, 2),
    maxElements: maxProperties === undefined ? most(element.minSize + 6) : atLeast0(maxProperties),
  };
}

function objectOf({ properties = {}, required = [] }: OpenApiSchema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minSize = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const field = declaredType(schema, isEmbedded(schema), `${name}.${property}`);
    if (field === undefined) continue;
    const escaped = escapeName(property);
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.includes(property) && schema.default === undefined)
      minSize += property.length + field.minSize + 4;
  }
  return { ...simple(structType(name), minSize), fields };
}

/** The longest duration and time as JSON, and the shortest ones. */
const longestTime = 32;

function textOf({ format, maxLength, enum: values }: OpenApiSchema): DeclaredType {
  const longest = maxLength === undefined ? maxRequestBytes - 2 : atLeast0(maxLength);
  if (format === "byte") return simple(bytesType, 2, longest);
  if (format === "duration") return simple(durationType, 3, longestTime);
  if (format === "date") return simple(timestampType, 12, 12);
  if (format === "date-time") return simple(timestampType, 21, longestTime);
  // A letter may take four bytes.
  if (maxLength !== undefined) return simple(stringType, 2, longest * 4);
  if (values === undefined || values.length === 0) return simple(stringType, 2, longest);
  const lengths = values.map((value) => (typeof value === "string" ? Buffer.byteLength(value) : 0));
  return simple(stringType, 2, Math.max(...lengths));
}

/** The object types within a type. */
export function typesIn(root: DeclaredType): TypeProvider {
  const structs = new Map<string, DeclaredType>();
  const collect = (declared: DeclaredType): void => {
    if (declared.type.kind === "struct") structs.set(declared.type.name, declared);
    for (const inner of [declared.element, ...declared.fields.values()])
      if (inner !== undefined) collect(inner);
  };
  collect(root);
  return {
    hasStruct: (name) => structs.has(name),
    fieldType: (struct, field) => {
      const fields = structs.get(struct)?.fields;
      // A word of the language may be written as it is where it can only be a field.
      return (fields?.get(field) ?? fields?.get(`__${field}__`))?.type;
    },
  };
}

/** How large what a path leads to may be; paths begin with "self" or "oldSelf". */
export function sizesIn(root: DeclaredType): SizeOf {
  return (path) => {
    if (path.length === 0) return undefined;
    let current: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      if (step === "@items" || step === "@values") current = current.element;
      else current = step === "@keys" ? current.key : current.fields.get(step);
      if (current === undefined) return undefined;
    }
    return { min: 0, max: current.maxElements };
  };
}
