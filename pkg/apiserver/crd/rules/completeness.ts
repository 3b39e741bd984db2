import { child, isJson, items, type Json } from "../../../api/json.ts";
import type { FieldErrors } from "../../kinds/field-errors.ts";
import { at, index, key } from "./path.ts";

interface Paths {
  /** Of the schema that declares. */
  readonly schema: string;
  /** Of the logic that speaks of it. */
  readonly rule: string;
}

/** Whatever logic says something of is declared outside of logic. */
export function validateCompleteness(
  rule: Json,
  schema: Json | undefined,
  paths: Paths,
  errors: FieldErrors,
): void {
  const not = child(rule, "not");
  if (not !== undefined) validateNested(not, schema, { ...paths, rule: at(paths.rule, "not") }, errors);
  for (const field of ["allOf", "anyOf", "oneOf"])
    for (const [position, one] of items(rule, field).entries())
      validateNested(one, schema, { ...paths, rule: index(at(paths.rule, field), position) }, errors);
}

function validateNested(rule: Json, schema: Json | undefined, paths: Paths, errors: FieldErrors): void {
  if (schema === undefined) return errors.required(paths.schema, `because it is defined in ${paths.rule}`);
  validateCompleteness(rule, schema, paths, errors);
  const item = child(rule, "items");
  if (item !== undefined)
    validateNested(
      item,
      child(schema, "items"),
      { schema: at(paths.schema, "items"), rule: at(paths.rule, "items") },
      errors,
    );
  for (const [name, property] of Object.entries(child(rule, "properties") ?? {})) {
    if (!isJson(property)) continue;
    const declared = child(child(schema, "properties"), name);
    const next = {
      schema: key(at(paths.schema, "properties"), name),
      rule: key(at(paths.rule, "properties"), name),
    };
    validateNested(property, declared, next, errors);
  }
}
