import { goSyntax, goValue } from "../../api/go-value.ts";
import { asJson, child, text } from "../../api/json.ts";
import type { ApiObject } from "../../api/object.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import type { FieldSchema, ListSchema, MapSchema, ScalarSchema } from "./field-schema.ts";
import { fieldElement, printElement } from "./path-element.ts";
import { isList, isObject, itemElement, TypedValueError } from "./typed-value.ts";

/**
 * An applied configuration may only say what the schema knows, and nothing twice. Throws a TypedValueError that words
 * the problems as the API server does.
 */
export function* validateApplied(schema: FieldSchema, applied: ApiObject): Steps<void> {
  const problem = yield* problemOfValue(schema, applied);
  if (problem === undefined) return;
  const metadata = child(asJson(applied), "metadata");
  const [namespace, name] = [text(metadata, "namespace"), text(metadata, "name")];
  const slash = (applied.apiVersion ?? "").includes("/") ? "" : "/";
  const type = `${slash}${applied.apiVersion ?? ""}, Kind=${applied.kind ?? ""}`;
  throw new TypedValueError(
    `failed to create typed patch object (${namespace}/${name}; ${type}): ${problem}`,
  );
}

/** All that does not fit the schema, as one text. */
export function* problemOfValue(schema: FieldSchema, value: unknown): Steps<string | undefined> {
  const problems: string[] = [];
  yield* collect(schema, value, () => "", problems);
  if (problems.length === 0) return undefined;
  return problems.length === 1
    ? problems.join("")
    : ["errors:", ...problems.map((one) => `  ${one}`)].join("\n");
}

/** Printed only for what there is something to say of. */
type Path = () => string;

function* collect(schema: FieldSchema, value: unknown, path: Path, problems: string[]): Steps<void> {
  if (value === null || value === undefined) return;
  if (schema.kind === "map") {
    if (isObject(value)) yield* collectInMap(schema, value, path, problems);
    else problems.push(`${path()}: expected map, got &{${goValue(value)}}`);
  } else if (schema.kind === "list") {
    if (isList(value)) yield* collectInList(schema, value, path, problems);
    else problems.push(`${path()}: expected list, got &{${goValue(value)}}`);
  } else if (schema.kind === "scalar") {
    const problem = problemOfScalar(schema, value);
    if (problem !== undefined) problems.push(`${path()}: ${problem}`);
  }
}

function problemOfScalar({ type }: ScalarSchema, value: unknown): string | undefined {
  const is = typeof value;
  if (type === "string" && is !== "string") {
    return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
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
function* collectInMap(
  schema: MapSchema,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  problems: string[],
): Steps<void> {
  let count = 0;
  for (const key of Object.keys(value)) {
    if (++count % STEP === 0) yield;
    const part = value[key];
    const known = schema.field(key) ?? schema.element();
    const below = (): string => `${path()}${printElement(fieldElement(key))}`;
    if (known === undefined) {
      problems.push(`${below()}: field not declared in schema`);
      return;
    }
    if (!hasNoProblem(known, part)) yield* collect(known, part, below, problems);
  }
}

function* collectInList(
  schema: ListSchema,
  list: readonly unknown[],
  path: Path,
  problems: string[],
): Steps<void> {
  const seen = new Set<string>();
  const items = schema.items();
  for (const [index, item] of list.entries()) {
    if (index % STEP === STEP - 1) yield;
    if (schema.listType === "atomic") {
      if (!hasNoProblem(items, item)) yield* collect(items, item, () => `${path()}[${index}]`, problems);
      continue;
    }
    try {
      const element = itemElement(schema, item);
      if (seen.has(element)) problems.push(`${path()}: duplicate entries for key ${printElement(element)}`);
      seen.add(element);
      const below = (): string => `${path()}${printElement(element)}`;
      if (!hasNoProblem(items, item)) yield* collect(items, item, below, problems);
    } catch (error) {
      if (!(error instanceof TypedValueError)) throw error;
      problems.push(`${path()}: element ${index}: ${error.message}`);
      return;
    }
  }
}

/** What can be said at once, and is so of most values. */
function hasNoProblem(schema: FieldSchema, value: unknown): boolean {
  if (schema.kind === "deduced" || value === null || value === undefined) return true;
  return schema.kind === "scalar" && problemOfScalar(schema, value) === undefined;
}

function goType(value: unknown): string {
  if (isList(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  return typeof value === "boolean" ? "bool" : typeof value;
}
