import { child, flag, isJson, items, type Json, present, text } from "../../../api/json.ts";
import { jsonEqual } from "../../../api/patch/json.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { PatternError, readPattern } from "../../../api/pattern.ts";
import { validateCompleteness } from "./completeness.ts";
import { at, index, key } from "./path.ts";

type Level = "root" | "item" | "field";

/**
 * A structural schema says the type of everything, outside of the logic that restricts values: then values can be
 * pruned and completed by it.
 */
export function validateStructural(schema: Json, path: string, errors: FieldErrors): void {
  validateInvariants(schema, "root", path, errors);
  validateCompleteness(schema, schema, { schema: path, rule: path }, errors);
}

function validateInvariants(schema: Json, level: Level, path: string, errors: FieldErrors): void {
  const type = text(schema, "type");
  const item = child(schema, "items");
  if (type === "array" && item === undefined) errors.required(at(path, "items"), "must be specified");
  if (item !== undefined) validateInvariants(item, "item", at(path, "items"), errors);
  const properties = child(schema, "properties") ?? {};
  for (const [name, property] of Object.entries(properties))
    if (isJson(property)) validateInvariants(property, "field", key(at(path, "properties"), name), errors);
  validateAdditional(schema, level, path, errors);
  validateExtensions(schema, path, errors);
  validateLogic(schema, path, errors, {
    anyOf: isIntOrString(schema["anyOf"]),
    anyOfInAllOf: isIntOrString(items(schema, "allOf")[0]?.["anyOf"]),
  });
  validateType(schema, level, path, errors);
  validateResourceFields(schema, level, path, errors);
}

function validateAdditional(schema: Json, level: Level, path: string, errors: FieldErrors): void {
  if (!present(schema, "additionalProperties")) return;
  const place = at(path, "additionalProperties");
  if (level === "root") errors.forbidden(place, "must not be used at the root");
  const element = child(schema, "additionalProperties");
  if (element !== undefined) validateInvariants(element, "field", place, errors);
  if (flag(schema, "x-kubernetes-embedded-resource"))
    errors.forbidden(place, "must not be used if x-kubernetes-embedded-resource is set");
}

function validateExtensions(schema: Json, path: string, errors: FieldErrors): void {
  if (!flag(schema, "x-kubernetes-int-or-string")) return;
  for (const field of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"])
    if (flag(schema, field))
      errors.invalid(at(path, field), true, "must be false if x-kubernetes-int-or-string is true");
}

const emptyType: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function validateType(schema: Json, level: Level, path: string, errors: FieldErrors): void {
  const type = text(schema, "type");
  const place = at(path, "type");
  const isOpen = flag(schema, "x-kubernetes-preserve-unknown-fields");
  if (flag(schema, "x-kubernetes-embedded-resource") && type !== "object") {
    const rule = "must be object if x-kubernetes-embedded-resource is true";
    if (type === "") errors.required(place, rule);
    else errors.invalid(place, type, rule);
  } else if (type === "" && !flag(schema, "x-kubernetes-int-or-string") && !isOpen)
    errors.required(place, emptyType[level]);
  if (level === "root" && type !== "" && type !== "object")
    errors.invalid(place, type, "must be object at the root");
}

/** The fields that every object has, at the root and in embedded objects. */
function validateResourceFields(schema: Json, level: Level, path: string, errors: FieldErrors): void {
  const isEmbedded = flag(schema, "x-kubernetes-embedded-resource");
  const properties = child(schema, "properties") ?? {};
  if (level === "root" || isEmbedded) {
    for (const name of ["kind", "apiVersion"]) {
      const property = child(properties, name);
      if (property !== undefined && text(property, "type") !== "string")
        errors.invalid(
          at(key(at(path, "properties"), name), "type"),
          text(property, "type"),
          "must be string",
        );
    }
    const metadata = child(properties, "metadata");
    const place = key(at(path, "properties"), "metadata");
    if (metadata !== undefined && text(metadata, "type") !== "object")
      errors.invalid(at(place, "type"), text(metadata, "type"), "must be object");
    if (metadata !== undefined && level === "root" && !saysOnlyNames(metadata))
      errors.forbidden(
        place,
        "must not specify anything other than name and generateName, but metadata is implicitly specified",
      );
  }
  if (
    isEmbedded &&
    !flag(schema, "x-kubernetes-preserve-unknown-fields") &&
    Object.keys(properties).length === 0
  )
    errors.required(
      at(path, "properties"),
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
    );
}

function saysOnlyNames(metadata: Json): boolean {
  const { type: _, default: __, properties, ...rest } = metadata;
  const names = isJson(properties) ? Object.keys(properties) : [];
  return Object.keys(rest).length === 0 && names.every((name) => name === "name" || name === "generateName");
}

function isIntOrString(anyOf: unknown): boolean {
  return jsonEqual(anyOf, [{ type: "integer" }, { type: "string" }]);
}

/** The two ways to say "integer or string", which speak of types. */
interface Spared {
  readonly anyOf: boolean;
  readonly anyOfInAllOf: boolean;
}

const nothingSpared: Spared = { anyOf: false, anyOfInAllOf: false };

/**
 * Of the logic of a schema: nothing in it declares what values look like. The two ways to say "integer or string" are
 * spared.
 */
function validateLogic(schema: Json, path: string, errors: FieldErrors, spared: Spared): void {
  if (!spared.anyOf) validateEach(schema, "anyOf", path, errors);
  for (const [position, one] of items(schema, "allOf").entries())
    validateNested(one, index(at(path, "allOf"), position), errors, {
      anyOf: spared.anyOfInAllOf && position === 0,
      anyOfInAllOf: false,
    });
  validateEach(schema, "oneOf", path, errors);
  const not = child(schema, "not");
  if (not !== undefined) validateNested(not, at(path, "not"), errors);
  const pattern = text(schema, "pattern");
  if (pattern === "") return;
  const read = readPattern(pattern);
  if (read instanceof PatternError)
    errors.invalid(
      at(path, "pattern"),
      pattern,
      `must be a valid regular expression, but isn't: ${read.message}`,
    );
}

function validateEach(schema: Json, field: string, path: string, errors: FieldErrors): void {
  for (const [position, one] of items(schema, field).entries())
    validateNested(one, index(at(path, field), position), errors);
}

/** Fields that declare values, and what is said of them in logic. */
const declaring: readonly (readonly [field: string, rule: string])[] = [
  ["type", "empty"],
  ["default", "undefined"],
  ["title", "empty"],
  ["description", "empty"],
  ["nullable", "false"],
  ["x-kubernetes-preserve-unknown-fields", "false"],
  ["x-kubernetes-embedded-resource", "false"],
  ["x-kubernetes-int-or-string", "false"],
  ["x-kubernetes-list-map-keys", "empty"],
  ["x-kubernetes-list-type", "undefined"],
  ["x-kubernetes-map-type", "undefined"],
  ["x-kubernetes-validations", "empty"],
];

function validateNested(schema: Json, path: string, errors: FieldErrors, spared = nothingSpared): void {
  validateLogic(schema, path, errors, spared);
  const item = child(schema, "items");
  if (item !== undefined) validateNested(item, at(path, "items"), errors);
  const properties = child(schema, "properties") ?? {};
  for (const [name, property] of Object.entries(properties))
    if (isJson(property)) validateNested(property, key(at(path, "properties"), name), errors);
  const additional = schema["additionalProperties"];
  if (additional !== undefined && additional !== false)
    errors.forbidden(at(path, "additionalProperties"), "must be undefined to be structural");
  for (const [field, rule] of declaring)
    if (present(schema, field)) errors.forbidden(at(path, field), `must be ${rule} to be structural`);
  if (properties["metadata"] !== undefined)
    errors.forbidden(key(at(path, "properties"), "metadata"), "must not be specified in a nested context");
}
