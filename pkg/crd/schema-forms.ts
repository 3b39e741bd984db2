import { isJson, type Json, strings } from "../api/json.ts";

/** Gives the schema with one form of JSON Schema replaced by what definitions have, or says why that cannot be. */
type Form = (schema: Json) => Json | string;

/** In the order in which they are applied. */
export const FORMS: readonly Form[] = [
  constant,
  alternatives,
  listOfTypes,
  exclusiveLimits,
  patternProperties,
  propertyNames,
  closedObject,
];

/** In schemas that only judge. */
export const FORMS_OF_CONDITIONS: readonly Form[] = [constantAsEnum, exclusiveLimits];

function constant(schema: Json): Json {
  const made = constantAsEnum(schema);
  return Array.isArray(made["enum"]) ? withValues(made, made["enum"]) : made;
}

function constantAsEnum(schema: Json): Json {
  if (!("const" in schema)) return schema;
  const { const: value, ...rest } = schema;
  return { ...rest, enum: [value] };
}

/** Values have a type in definitions, which JSON Schema leaves to them. */
function withValues(schema: Json, values: readonly unknown[]): Json {
  const types = [...new Set(values.filter((value) => value !== null).map(typeOf))];
  const [type] = types;
  return {
    ...(types.length === 1 ? { type } : {}),
    ...schema,
    enum: values,
    ...(values.includes(null) ? { nullable: true } : {}),
  };
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint" || Number.isInteger(value)) return "integer";
  return typeof value;
}

/** How libraries write what may be null, one of some values, or a number or a text. */
function alternatives(schema: Json): Json | string {
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const given = schema[keyword];
    if (!Array.isArray(given) || schema["type"] !== undefined || isIntOrString(schema)) continue;
    const members = given.filter(isJson).map(constant);
    const { [keyword]: _, ...outer } = schema;
    const others = members.filter((member) => member["type"] !== "null");
    const nullable = others.length < members.length ? { nullable: true } : {};
    const [only] = others;
    if (only !== undefined && others.length === 1) return constant({ ...only, ...outer, ...nullable });
    if (others.length > 0 && others.every((member) => Array.isArray(member["enum"])))
      return withValues({ ...outer, ...nullable }, others.flatMap(valuesOf));
    const types = new Set(others.map(({ type }) => (type === "number" ? "integer" : type)));
    if (types.size === 2 && types.has("integer") && types.has("string") && others.every(saysTypeOnly))
      return { ...outer, ...nullable, "x-kubernetes-int-or-string": true };
    return `${keyword} of values of different form has none in a definition: give one form with optional fields, and rules for which go together`;
  }
  return schema;
}

function valuesOf({ enum: values }: Json): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

function isIntOrString(schema: Json): boolean {
  return schema["x-kubernetes-int-or-string"] === true;
}

/** The limits of safe integers, which libraries add, are no limits. */
function saysTypeOnly(schema: Json): boolean {
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === "minimum" || keyword === "maximum")
      return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER;
    return ["type", "title", "description"].includes(keyword);
  });
}

function listOfTypes(schema: Json): Json | string {
  const { type } = schema;
  if (type === "null") return "a value that is always null has no form in a definition";
  if (!Array.isArray(type)) return schema;
  const { type: _, ...rest } = schema;
  const types = strings(schema, "type").filter((each) => each !== "null");
  const nullable = types.length < type.length ? { nullable: true } : {};
  if (types.length === 1) return { ...rest, type: types[0], ...nullable };
  if (types.length === 2 && types.includes("integer") && types.includes("string"))
    return { ...rest, ...nullable, "x-kubernetes-int-or-string": true };
  return `a value of several types (${types.join(", ")}) has no form in a definition`;
}

/** JSON Schema has the limit where definitions have whether it is one itself. */
function exclusiveLimits(schema: Json): Json {
  return exclusiveLimit(exclusiveLimit(schema, "minimum", "exclusiveMinimum"), "maximum", "exclusiveMaximum");
}

function exclusiveLimit(schema: Json, limit: string, exclusive: string): Json {
  const value = schema[exclusive];
  return typeof value === "number" ? { ...schema, [limit]: value, [exclusive]: true } : schema;
}

const ANY_NAME: ReadonlySet<string> = new Set(["^(.*)$", "^.*$", ".*", ""]);

function patternProperties(schema: Json): Json | string {
  const { patternProperties: given, ...rest } = schema;
  if (given === undefined) return schema;
  const [entry, ...others] = Object.entries(isJson(given) ? given : {});
  if (entry !== undefined && others.length === 0 && ANY_NAME.has(entry[0]))
    return { ...rest, additionalProperties: entry[1] };
  return "patternProperties have no counterpart in the schema of a definition: use additionalProperties, and a rule for the names";
}

function propertyNames(schema: Json): Json | string {
  const { propertyNames: given, ...rest } = schema;
  if (given === undefined) return schema;
  const isAnyText = isJson(given) && Object.keys(given).length === 1 && given["type"] === "string";
  if (isAnyText) return rest;
  return "propertyNames have no counterpart in the schema of a definition: use a rule for the names";
}

/** Fields that a definition does not name are dropped, unless it says that they are to be kept. */
function closedObject(schema: Json): Json {
  const { additionalProperties: given, ...rest } = schema;
  if (given === false) return rest;
  const isOpen = given === true || (isJson(given) && Object.keys(given).length === 0);
  if (isOpen && rest["properties"] !== undefined)
    return { ...rest, "x-kubernetes-preserve-unknown-fields": true };
  return schema;
}
