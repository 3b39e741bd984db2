import { child, flag, type Json, optionalText, text } from "../../../api/json.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { findField } from "./field-path.ts";
import { at, index } from "./path.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const maxSelectableFields = 8;

export function validateDeprecation(version: Json, path: string, errors: FieldErrors): void {
  const warning = optionalText(version, "deprecationWarning");
  if (warning === undefined) return;
  const place = at(path, "deprecationWarning");
  if (!flag(version, "deprecated"))
    return errors.invalid(place, warning, "can only be set for deprecated versions");
  if (Buffer.byteLength(warning) > 256) errors.invalid(place, warning, "must be <= 256 characters long");
  if (warning === "") errors.invalid(place, warning, "must not be an empty string");
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (odd === null) return;
  const position = Buffer.byteLength(warning.slice(0, odd.index));
  errors.invalid(
    place,
    warning,
    `must only contain printable UTF-8 characters; non-printable character found at index ${position}`,
  );
}

/** The paths of the scale subresource. */
export function validateScalePaths(subresources: Json | undefined, path: string, errors: FieldErrors): void {
  const scale = child(subresources, "scale");
  if (scale === undefined) return;
  validateScalePath(scale, "specReplicasPath", at(path, "scale"), errors);
  validateScalePath(scale, "statusReplicasPath", at(path, "scale"), errors);
  const selector = text(scale, "labelSelectorPath");
  const place = at(path, "scale.labelSelectorPath");
  if (selector === "" || !isSimplePath(selector, place, errors)) return;
  if (!selector.startsWith(".spec.") && !selector.startsWith(".status."))
    errors.invalid(place, selector, "should be a json path under either .spec or .status");
}

function validateScalePath(
  scale: Json,
  field: "specReplicasPath" | "statusReplicasPath",
  path: string,
  errors: FieldErrors,
): void {
  const value = text(scale, field);
  const place = at(path, field);
  if (value === "") return errors.required(place);
  const root = field === "specReplicasPath" ? ".spec" : ".status";
  if (isSimplePath(value, place, errors) && !value.startsWith(`${root}.`))
    errors.invalid(place, value, `should be a json path under ${root}`);
}

function isSimplePath(value: string, place: string, errors: FieldErrors): boolean {
  if (value.startsWith(".")) return true;
  errors.invalid(place, value, "must be a simple json path starting with .");
  return false;
}

export function validateColumns(columns: readonly Json[], path: string, errors: FieldErrors): void {
  for (const [position, column] of columns.entries()) {
    const place = index(path, position);
    if (text(column, "name") === "") errors.required(at(place, "name"));
    const type = text(column, "type");
    const oneOfTypes = `must be one of ${columnTypes.join(",")}`;
    if (type === "") errors.required(at(place, "type"), oneOfTypes);
    else if (!columnTypes.includes(type)) errors.invalid(at(place, "type"), type, oneOfTypes);
    const format = text(column, "format");
    if (format !== "" && !columnFormats.includes(format))
      errors.invalid(at(place, "format"), format, `must be one of ${columnFormats.join(",")}`);
    const jsonPath = text(column, "jsonPath");
    if (jsonPath === "") errors.required(at(place, "JSONPath"));
    else isSimplePath(jsonPath, at(place, "JSONPath"), errors);
  }
}

export function validateSelectableFields(
  fields: readonly Json[],
  schema: Json,
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [position, field] of fields.entries()) {
    const place = at(index(path, position), "jsonPath");
    const jsonPath = text(field, "jsonPath");
    if (jsonPath === "") {
      errors.required(place);
      continue;
    }
    const found = findField(schema, jsonPath, false);
    if ("problem" in found) {
      errors.invalid(place, jsonPath, `is an invalid path: ${found.problem}`);
      continue;
    }
    if (found.steps[0] === "metadata")
      errors.invalid(place, jsonPath, "must not point to fields in metadata");
    if (!["string", "boolean", "integer"].includes(text(found.schema, "type")))
      errors.invalid(
        place,
        jsonPath,
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
      );
    const name = found.steps.join(".");
    if (seen.has(name)) errors.duplicate(place, jsonPath);
    seen.add(name);
  }
  if (seen.size > maxSelectableFields) errors.tooMany(path, seen.size, maxSelectableFields);
}
