import { inOneGo } from "../../../api/steps.ts";
import { child, isJson, type Json } from "../../../api/json.ts";
import { copyJson } from "../../../api/json-copy.ts";
import { FieldErrors } from "../../kinds/field-errors.ts";
import type { FieldError } from "../../kinds/kind.ts";
import { validateDefaultByRules } from "../cel/rule-validator.ts";
import { coerceEmbedded, validateEmbedded } from "../embedded-objects.ts";
import type { OpenApiSchema } from "../../../cel/schemas/open-api-schema.ts";
import { isPruned } from "../prune.ts";
import { validateValue } from "../validate-value.ts";
import { at, key } from "./path.ts";

interface Surroundings {
  /** The schema of the object around, which has a kind and metadata. */
  readonly resource: OpenApiSchema;
  /** That object, with this value in it. */
  readonly surround: (value: unknown) => unknown;
  readonly insideMeta: boolean;
}

const asResource = (schema: Json): OpenApiSchema => ({ ...schema, "x-kubernetes-embedded-resource": true });

/** Defaults are values that the schema itself would take. */
export function validateDefaults(root: Json, path: string, errors: FieldErrors): void {
  walk(
    asResource(root) as Json,
    path,
    { resource: asResource(root), surround: (value) => value, insideMeta: false },
    errors,
  );
}

function walk(schema: Json, path: string, outer: Surroundings, errors: FieldErrors): void {
  const isResource = schema["x-kubernetes-embedded-resource"] === true;
  const where = isResource ? { resource: schema, surround: withKind, insideMeta: false } : outer;
  const given = schema["default"];
  if (given !== undefined && given !== null) {
    const place = at(path, "default");
    if (!where.insideMeta && !isPruned(copyJson(given), schema))
      errors.invalid(place, given, "must not have unknown fields");
    const found = where.insideMeta ? metaProblem(given, place, where) : problemsApart(given, schema, place);
    const problems =
      found.length > 0 ? found : inOneGo(validateValue(given, schema, { prefix: place, asSpelled: true }));
    const broken = problems.length > 0 ? problems : validateDefaultByRules(given, schema, place);
    for (const problem of broken) errors.list.push(problem);
  }
  const item = child(schema, "items");
  const surroundItem = (value: unknown): unknown => where.surround([value]);
  if (item !== undefined) walk(item, at(path, "items"), { ...where, surround: surroundItem }, errors);
  for (const [name, property] of Object.entries(child(schema, "properties") ?? {})) {
    if (!isJson(property)) continue;
    const isMeta = isResource && ["metadata", "apiVersion", "kind"].includes(name);
    const surround = (value: unknown): unknown => where.surround({ [name]: value });
    const inner = { ...where, surround, insideMeta: where.insideMeta || isMeta };
    walk(property, key(at(path, "properties"), name), inner, errors);
  }
}

function withKind(value: unknown): unknown {
  return isJson(value) ? { kind: "Validation", apiVersion: "validation/v1", ...value } : value;
}

/** What is wrong with it besides the schema's rules for values. */
function problemsApart(given: unknown, schema: OpenApiSchema, place: string): readonly FieldError[] {
  const errors = new FieldErrors();
  const value = copyJson(given);
  const { problem } = coerceEmbedded(value, schema);
  for (const error of problem === undefined ? validateEmbedded(value, schema) : [problem])
    errors.list.push({ ...error, field: `${place}${error.field.startsWith("[") ? "" : "."}${error.field}` });
  return errors.list;
}

/** What is wrong with the metadata that the default would be a part of. */
function metaProblem(given: unknown, place: string, where: Surroundings): readonly FieldError[] {
  const object = where.surround(copyJson(given));
  const { problem } = coerceEmbedded(object, where.resource);
  const problems = problem === undefined ? validateEmbedded(object, where.resource) : [problem];
  if (problems.length === 0) return [];
  const said = problems.map(({ field, message }) => `${field}: ${message}`).join(", ");
  const errors = new FieldErrors();
  errors.invalid(place, given, `must result in valid metadata: ${problems.length > 1 ? `[${said}]` : said}`);
  return errors.list;
}
