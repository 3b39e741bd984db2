import { child, flag, isJson, type Json, strings, text } from "../../../pkg/api/json.ts";

const PLAIN: Readonly<Record<string, string>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
};
const INDENT = "  ";
const UNKNOWN_FIELDS = "{ readonly [field: string]: unknown }";

/** The TypeScript type of a schema's values, in lines that are indented by `depth`. */
export function typeOfSchema(schema: Json, depth: number): string {
  const type = plainType(schema, depth);
  return flag(schema, "nullable") && !type.endsWith("| null") ? `${type} | null` : type;
}

function plainType(schema: Json, depth: number): string {
  const { enum: values, items, additionalProperties } = schema;
  if (Array.isArray(values) && values.length > 0)
    return values.map((value: unknown) => (isJson(value) ? "unknown" : JSON.stringify(value))).join(" | ");
  if (flag(schema, "x-kubernetes-int-or-string")) return "number | string";
  const properties = child(schema, "properties");
  if (flag(schema, "x-kubernetes-embedded-resource"))
    return `ApiObject & ${properties === undefined ? UNKNOWN_FIELDS : fieldsOf(schema, properties, depth)}`;
  const type = text(schema, "type");
  if (type === "integer") return text(schema, "format") === "int64" ? "Int64" : "number";
  if (type === "array")
    return `readonly ${inBrackets(isJson(items) ? typeOfSchema(items, depth) : "unknown")}[]`;
  if (type !== "object") return PLAIN[type] ?? "unknown";
  if (properties !== undefined) {
    const fields = fieldsOf(schema, properties, depth);
    return flag(schema, "x-kubernetes-preserve-unknown-fields") ? `${fields} & ${UNKNOWN_FIELDS}` : fields;
  }
  if (isJson(additionalProperties))
    return `Readonly<Record<string, ${typeOfSchema(additionalProperties, depth)}>>`;
  const keepsAll = additionalProperties === true || flag(schema, "x-kubernetes-preserve-unknown-fields");
  return keepsAll ? "Readonly<Record<string, unknown>>" : "Readonly<Record<string, never>>";
}

function inBrackets(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}

/** What is required or has a default is there for everybody who reads. */
function fieldsOf(schema: Json, properties: Json, depth: number): string {
  const required = strings(schema, "required");
  const lines = Object.entries(properties).flatMap(([name, property]) => {
    if (!isJson(property)) return [];
    const isThere = required.includes(name) || property["default"] !== undefined;
    const type = typeOfSchema(property, depth + 1);
    return [
      ...comment(text(property, "description"), depth + 1),
      `${INDENT.repeat(depth + 1)}readonly ${fieldName(name)}${isThere ? "" : "?"}: ${type};`,
    ];
  });
  return lines.length === 0
    ? "Readonly<Record<string, never>>"
    : ["{", ...lines, `${INDENT.repeat(depth)}}`].join("\n");
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Descriptions are somebody else's text: they must not end the comment. */
export function comment(description: string, depth: number): readonly string[] {
  if (description === "") return [];
  const indent = INDENT.repeat(depth);
  const lines = description.trim().replaceAll("*/", "*\\/").split("\n");
  if (lines.length === 1) return [`${indent}/** ${lines[0] ?? ""} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
