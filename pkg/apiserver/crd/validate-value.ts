import { type Int64, isInt64 } from "../../api/int64.ts";
import { jsonEqual } from "../../api/patch/json.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { isJson, type Json } from "../../api/json.ts";
import type { FieldError } from "../kinds/kind.ts";
import { checkFormat } from "./formats.ts";
import { elementSchema, type OpenApiSchema } from "./open-api-schema.ts";

/** What is wrong with an object by its schema, in the words of the API server. */
export function validateValue(object: Json, schema: OpenApiSchema | undefined): readonly FieldError[] {
  if (schema === undefined) return [];
  const errors = new ValueErrors();
  validate(object, schema, "", errors);
  return errors.list;
}

class ValueErrors extends FieldErrors {
  /** Errors of values say the path once more. */
  body(path: string, value: unknown, problem: string): void {
    this.invalid(path, value, `${path} in body ${problem}`);
  }

  wrongType(path: string, value: unknown, expected: string): void {
    const actual = JSON.stringify(typeName(value));
    const message = `Invalid value: ${actual}: ${path} in body must be of type ${expected}: ${actual}`;
    this.list.push({ type: "FieldValueTypeInvalid", field: path, message });
  }
}

function validate(value: unknown, schema: OpenApiSchema, path: string, errors: ValueErrors): void {
  if (value === null && schema.nullable === true) return;
  if (!hasType(value, schema)) {
    const expected = schema["x-kubernetes-int-or-string"] === true ? "integer,string" : (schema.type ?? "");
    errors.wrongType(path, value, expected);
    return;
  }
  if (schema.enum !== undefined && !schema.enum.some((one) => jsonEqual(one, value)))
    errors.notSupported(path, value, schema.enum.map(String));
  if (isNumber(value)) validateNumber(value, schema, path, errors);
  else if (typeof value === "string") validateText(value, schema, path, errors);
  else if (Array.isArray(value)) validateList(value, schema, path, errors);
  else if (isJson(value)) validateObject(value, schema, path, errors);
  validateCombinations(value, schema, path, errors);
}

function hasType(value: unknown, schema: OpenApiSchema): boolean {
  if (schema["x-kubernetes-int-or-string"] === true) return typeof value === "string" || isInt64(value);
  switch (schema.type) {
    case undefined:
    case "":
      return true;
    case "integer":
      return isInt64(value);
    case "number":
      return isNumber(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJson(value);
    default:
      return typeof value === schema.type;
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (isNumber(value)) return isInt64(value) ? "integer" : "number";
  return typeof value;
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === "number" || typeof value === "bigint";
}

function validateNumber(value: Int64, schema: OpenApiSchema, path: string, errors: ValueErrors): void {
  const { minimum, maximum, multipleOf } = schema;
  if (minimum !== undefined) {
    if (schema.exclusiveMinimum === true ? value <= minimum : value < minimum)
      errors.body(
        path,
        value,
        `should be greater than ${schema.exclusiveMinimum === true ? "" : "or equal to "}${minimum}`,
      );
  }
  if (maximum !== undefined) {
    if (schema.exclusiveMaximum === true ? value >= maximum : value > maximum)
      errors.body(
        path,
        value,
        `should be less than ${schema.exclusiveMaximum === true ? "" : "or equal to "}${maximum}`,
      );
  }
  if (multipleOf !== undefined && !Number.isInteger(Number(value) / multipleOf))
    errors.body(path, value, `should be a multiple of ${multipleOf}`);
}

function validateText(value: string, schema: OpenApiSchema, path: string, errors: ValueErrors): void {
  const length = Array.from(value).length;
  if (schema.maxLength !== undefined && length > schema.maxLength) errors.tooLong(path, schema.maxLength);
  if (schema.minLength !== undefined && length < schema.minLength)
    errors.body(path, value, `should be at least ${schema.minLength} chars long`);
  if (schema.pattern !== undefined && !patternOf(schema.pattern).test(value))
    errors.body(path, value, `should match '${schema.pattern}'`);
  if (schema.format !== undefined && !checkFormat(schema.format, value)) {
    const shown = JSON.stringify(value);
    const message = `Invalid value: ${shown}: ${path} in body must be of type ${schema.format}: ${shown}`;
    errors.list.push({ type: "FieldValueInvalid", field: path, message });
  }
}

const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  let pattern = patterns.get(source);
  if (pattern === undefined) {
    pattern = new RegExp(source, "u");
    patterns.set(source, pattern);
  }
  return pattern;
}

function validateList(
  value: readonly unknown[],
  schema: OpenApiSchema,
  path: string,
  errors: ValueErrors,
): void {
  const { items, minItems, maxItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) errors.tooMany(path, value.length, maxItems);
  if (minItems !== undefined && value.length < minItems)
    errors.body(path, value.length, `should have at least ${minItems} items`);
  if (schema.uniqueItems === true && hasDuplicates(value))
    errors.body(path, value, "shouldn't contain duplicates");
  if (items !== undefined)
    for (const [index, item] of value.entries()) validate(item, items, `${path}[${index}]`, errors);
  validateListType(value, schema, path, errors);
}

function hasDuplicates(list: readonly unknown[]): boolean {
  return list.some((item, index) => list.slice(0, index).some((other) => jsonEqual(item, other)));
}

function validateListType(
  value: readonly unknown[],
  schema: OpenApiSchema,
  path: string,
  errors: ValueErrors,
): void {
  const listType = schema["x-kubernetes-list-type"];
  if (listType !== "set" && listType !== "map") return;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    const identity: unknown =
      listType === "set"
        ? item
        : Object.fromEntries(keys.map((key) => [key, isJson(item) ? item[key] : undefined]));
    const text = JSON.stringify(identity) ?? "null";
    if (seen.has(text)) errors.duplicate(`${path}[${index}]`, identity);
    seen.add(text);
  }
}

function validateObject(value: Json, schema: OpenApiSchema, path: string, errors: ValueErrors): void {
  const size = Object.keys(value).length;
  if (schema.maxProperties !== undefined && size > schema.maxProperties)
    errors.tooMany(path, size, schema.maxProperties);
  if (schema.minProperties !== undefined && size < schema.minProperties)
    errors.body(path, size, `should have at least ${schema.minProperties} properties`);
  for (const name of schema.required ?? [])
    if (value[name] === undefined) errors.required(joined(path, name));
  const element = elementSchema(schema);
  for (const [key, member] of Object.entries(value)) {
    const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : element;
    if (property !== undefined) validate(member, property, joined(path, key), errors);
  }
}

function joined(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function validateCombinations(
  value: unknown,
  schema: OpenApiSchema,
  path: string,
  errors: ValueErrors,
): void {
  const fits = (one: OpenApiSchema): boolean => {
    const found = new ValueErrors();
    validate(value, one, path, found);
    return found.list.length === 0;
  };
  const say = (problem: string): void => errors.invalid(path, "", `${JSON.stringify(path)} ${problem}`);
  if (schema.anyOf !== undefined && !schema.anyOf.some(fits))
    say("must validate at least one schema (anyOf)");
  if (schema.oneOf !== undefined) {
    const count = schema.oneOf.filter(fits).length;
    const found = count === 0 ? "none valid" : `${count} valid alternatives`;
    if (count !== 1) say(`must validate one and only one schema (oneOf). Found ${found}`);
  }
  if (schema.allOf !== undefined && !schema.allOf.every(fits)) {
    say("must validate all the schemas (allOf)");
    for (const one of schema.allOf) validate(value, one, path, errors);
  }
  if (schema.not !== undefined && fits(schema.not)) say("must not validate the schema (not)");
}
