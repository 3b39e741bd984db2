import { asJson, child, text } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import type { FieldSchema, ListSchema, MapSchema, ScalarSchema } from "./field-schema.ts";
import { goValue } from "../decode/go-value.ts";
import { fieldElement, printElement } from "./path-element.ts";
import { isList, isObject, itemElement, TypedValueError } from "./typed-value.ts";

/**
 * An applied configuration may only say what the schema knows, and nothing twice. Throws a TypedValueError that words
 * the problems as the API server does.
 */
export function validateApplied(schema: FieldSchema, applied: ApiObject): void {
  const problems = problemsOf(schema, applied, "");
  if (problems.length === 0) return;
  const metadata = child(asJson(applied), "metadata");
  const [namespace, name] = [text(metadata, "namespace"), text(metadata, "name")];
  const slash = (applied.apiVersion ?? "").includes("/") ? "" : "/";
  const type = `${slash}${applied.apiVersion ?? ""}, Kind=${applied.kind ?? ""}`;
  const list =
    problems.length === 1 ? problems.join("") : ["errors:", ...problems.map((one) => `  ${one}`)].join("\n");
  throw new TypedValueError(`failed to create typed patch object (${namespace}/${name}; ${type}): ${list}`);
}

function problemsOf(schema: FieldSchema, value: unknown, path: string): readonly string[] {
  if (value === null || value === undefined) return [];
  if (schema.kind === "map") {
    if (isObject(value)) return problemsInMap(schema, value, path);
    return [`${path}: expected map, got &{${goValue(value)}}`];
  }
  if (schema.kind === "list") {
    if (isList(value)) return problemsInList(schema, value, path);
    return [`${path}: expected list, got &{${goValue(value)}}`];
  }
  const problem = schema.kind === "scalar" ? problemOfScalar(schema, value) : undefined;
  return problem === undefined ? [] : [`${path}: ${problem}`];
}

function problemOfScalar({ type }: ScalarSchema, value: unknown): string | undefined {
  const is = typeof value;
  if (type === "string" && is !== "string") {
    return `expected string, got &value.valueUnstructured{Value:${goValue(value)}}`;
  }
  if (type === "numeric" && is !== "number" && is !== "bigint") {
    return `expected numeric (int or float), got ${goType(value)}`;
  }
  if (type === "boolean" && is !== "boolean") return `expected boolean, got &{${goValue(value)}}`;
  if ((type === "untyped" || type === "time") && is === "object")
    return `expected any scalar, got &{${goValue(value)}}`;
  return undefined;
}

/** The first field that the type does not know ends the search in its object, as the server does it. */
function problemsInMap(
  schema: MapSchema,
  value: Readonly<Record<string, unknown>>,
  path: string,
): readonly string[] {
  const problems: string[] = [];
  for (const [key, part] of Object.entries(value)) {
    const below = `${path}${printElement(fieldElement(key))}`;
    const known = schema.field(key) ?? schema.element();
    if (known === undefined) return [...problems, `${below}: field not declared in schema`];
    problems.push(...problemsOf(known, part, below));
  }
  return problems;
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

function goType(value: unknown): string {
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}
