import { child, flag, items, type Json, text } from "../../../api/json.ts";
import { validateRuleCosts } from "../cel/definition-costs.ts";
import { FieldErrors } from "../../kinds/field-errors.ts";
import { validateDefaults } from "./default-rules.ts";
import { at } from "./path.ts";
import { SchemaRules } from "./schema-rules.ts";
import { validateStructural } from "./structural.ts";
import { someSchema } from "./subschemas.ts";

/** In the order in which they are looked at. What a status of its own would not keep is not among them. */
const rootFields: readonly (readonly [field: string, goName: string])[] = [
  ["description", "Description"],
  ["type", "Type"],
  ["format", "Format"],
  ["title", "Title"],
  ["maximum", "Maximum"],
  ["exclusiveMaximum", "ExclusiveMaximum"],
  ["minimum", "Minimum"],
  ["exclusiveMinimum", "ExclusiveMinimum"],
  ["maxLength", "MaxLength"],
  ["minLength", "MinLength"],
  ["pattern", "Pattern"],
  ["maxItems", "MaxItems"],
  ["minItems", "MinItems"],
  ["uniqueItems", "UniqueItems"],
  ["multipleOf", "MultipleOf"],
  ["required", "Required"],
  ["items", "Items"],
  ["properties", "Properties"],
  ["externalDocs", "ExternalDocs"],
  ["example", "Example"],
  ["x-kubernetes-preserve-unknown-fields", "XPreserveUnknownFields"],
  ["x-kubernetes-validations", "XValidations"],
];
/** They are looked at before the type. */
const beforeType = new Set(["id", "$schema", "$ref"]);
const rootNames = new Set(rootFields.map(([field]) => field));

/** The schema of a version; `path` is that of what holds it. */
export function validateSchema(schema: Json, path: string, hasStatus: boolean, outer: FieldErrors): void {
  const errors = new FieldErrors();
  const place = at(path, "openAPIV3Schema");
  if (hasStatus) validateRootFields(schema, place, errors);
  if (flag(schema, "nullable"))
    errors.forbidden(at(place, "nullable"), "nullable cannot be true at the root");
  const unsupported = unsupportedPart(schema);
  if (unsupported === undefined) {
    const structural = new FieldErrors();
    validateStructural(schema, place, structural);
    if (structural.list.length === 0) validateDefaults(schema, place, structural);
    for (const error of structural.list) errors.list.push(error);
  }
  new SchemaRules(errors).validate(schema, place);
  if (errors.list.length === 0 && unsupported === undefined) validateRuleCosts(schema, place, errors);
  if (unsupported !== undefined && errors.list.length === 0) errors.invalid(place, "", unsupported);
  for (const error of errors.list) outer.list.push(error);
}

function validateRootFields(schema: Json, place: string, errors: FieldErrors): void {
  const type = text(schema, "type");
  const strangers = Object.keys(schema).filter((field) => !rootNames.has(field) && schema[field] !== false);
  const comesFirst = strangers.some((field) => beforeType.has(field));
  if (type !== "" && type !== "object" && !comesFirst)
    errors.invalid(
      at(place, "type"),
      type,
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    );
  else if (strangers.length > 0)
    errors.invalid(
      place,
      schema,
      `only [${rootFields.map(([, goName]) => goName).join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`,
    );
}

const unsupportedFields = [
  "id",
  "$schema",
  "$ref",
  "patternProperties",
  "dependencies",
  "additionalItems",
  "definitions",
];

/** Why the schema is none that values could be pruned by, if it cannot even be read as one. */
function unsupportedPart(root: Json): string | undefined {
  let found: string | undefined;
  someSchema(root, (schema) => {
    const field = unsupportedFields.find((one) => schema[one] !== undefined && schema[one] !== "");
    if (field !== undefined)
      found = `OpenAPIV3Schema '${field === "$schema" ? "schema" : field}' is not supported`;
    else if (items(schema, "items").length > 0)
      found = "OpenAPIV3Schema 'items' must be a schema, but is an array";
    else if (schema["x-kubernetes-preserve-unknown-fields"] === false)
      found = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
    return found !== undefined;
  });
  return found;
}

/** The schema that a version says it has. */
export function schemaOf(version: Json): Json | undefined {
  return child(child(version, "schema"), "openAPIV3Schema");
}
