import type { ApiObject } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema } from "./field-schema.ts";
import { fieldElement, printElement } from "./path-element.ts";
import { isList, isObject, itemElement, TypedValueError } from "./typed-value.ts";

/**
 * An applied configuration may only say what the schema knows, and nothing twice. Throws a TypedValueError that words
 * all problems as the API server does. Scalars are checked where objects are decoded.
 */
export function validateApplied(schema: FieldSchema, applied: ApiObject): void {
  const problems = problemsOf(schema, applied, "");
  if (problems.length === 0) return;
  const { namespace = "", name = "" } = applied.metadata;
  const slash = (applied.apiVersion ?? "").includes("/") ? "" : "/";
  const type = `${slash}${applied.apiVersion ?? ""}, Kind=${applied.kind ?? ""}`;
  const list =
    problems.length === 1 ? problems.join("") : ["errors:", ...problems.map((one) => `  ${one}`)].join("\n");
  throw new TypedValueError(`failed to create typed patch object (${namespace}/${name}; ${type}): ${list}`);
}

function problemsOf(schema: FieldSchema, value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return [];
  if (schema.kind === "map") {
    return isObject(value)
      ? problemsInMap(schema, value, path)
      : [`${path}: expected map, got ${print(value)}`];
  }
  if (schema.kind === "list") {
    return isList(value)
      ? problemsInList(schema, value, path)
      : [`${path}: expected list, got ${print(value)}`];
  }
  return [];
}

function problemsInMap(
  schema: MapSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly string[] {
  return Object.entries(value).flatMap(([key, part]) => {
    const below = `${path}${printElement(fieldElement(key))}`;
    const known = schema.field(key) ?? schema.element();
    return known === undefined ? [`${below}: field not declared in schema`] : problemsOf(known, part, below);
  });
}

function problemsInList(schema: ListSchema, list: readonly unknown[], path: string): readonly string[] {
  const seen = new Set<string>();
  const problems: string[] = [];
  for (const [index, item] of list.entries()) {
    if (schema.listType === "atomic") {
      problems.push(...problemsOf(schema.items(), item, `${path}[${index}]`));
      continue;
    }
    try {
      const element = itemElement(schema, item);
      if (seen.has(element)) problems.push(`${path}: duplicate entries for key ${printElement(element)}`);
      seen.add(element);
      problems.push(...problemsOf(schema.items(), item, `${path}${printElement(element)}`));
    } catch (error) {
      if (!(error instanceof TypedValueError)) throw error;
      return [...problems, `${path}: element ${index}: ${error.message}`];
    }
  }
  return problems;
}

function print(value: unknown): string {
  return JSON.stringify(value);
}
