import { child, type Json } from "../../../api/json.ts";

interface FoundField {
  readonly steps: readonly string[];
  /** Undefined where anything may be. */
  readonly schema: Json | undefined;
}

const tokens = /'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/gs;

/** The field that a path of names leads to, and its schema; else what is wrong with the path. */
export function findField(
  root: Json,
  path: string,
  allowsBrackets: boolean,
): FoundField | { readonly problem: string } {
  const steps: string[] = [];
  let schema: Json | undefined = root;
  const parts = path.match(tokens) ?? [];
  for (let at = 0; at < parts.length; at++) {
    const token = parts[at] ?? "";
    if (token === "[" && !allowsBrackets) return { problem: "array notation is not allowed" };
    if (token !== "." && token !== "[") return { problem: `expected [ or . but got: ${token}` };
    const named = parts[++at];
    if (named === undefined) return { problem: "unexpected end of JSON path" };
    if (token === "[" && !/^'.*'$/s.test(named))
      return { problem: `expected single quoted string but got ${named}` };
    const name = token === "[" ? named.slice(1, -1).replaceAll(/\\(.)/gs, "$1") : named;
    const next = step(schema, name);
    if (next === undefined) return { problem: "does not refer to a valid field" };
    schema = next.schema;
    steps.push(name);
    if (token === ".") continue;
    const end = parts[++at];
    if (end === undefined) return { problem: "unexpected end of JSON path" };
    if (end !== "]") return { problem: `expected ] but got ${end}` };
  }
  return { steps, schema };
}

function step(schema: Json | undefined, name: string): { readonly schema: Json | undefined } | undefined {
  const properties = child(schema, "properties");
  if (properties !== undefined && Object.keys(properties).length > 0) {
    const property = Object.hasOwn(properties, name) ? child(properties, name) : undefined;
    return property === undefined ? undefined : { schema: property };
  }
  return schema?.["additionalProperties"] === undefined
    ? undefined
    : { schema: child(schema, "additionalProperties") };
}
