import { quotedAsInGo } from "./go-quote.ts";

/** A tree of values as Go's source would have it: map[string]interface {}{"a":1}. */
export function goSyntax(value: unknown): string {
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "string") return quotedAsInGo(value);
  if (value === null || value === undefined) return "interface {}(nil)";
  if (typeof value !== "object") return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
  const keys = Object.keys(value).sort();
  const members = keys.map(
    (key) => `${quotedAsInGo(key)}:${goSyntax((value as Readonly<Record<string, unknown>>)[key])}`,
  );
  return `map[string]interface {}{${members.join(", ")}}`;
}

/** A tree of values as Go prints it: map[a:1 b:[x y]]. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "<nil>";
  if (typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `map[${keys.map((key) => `${key}:${goValue((value as Readonly<Record<string, unknown>>)[key])}`).join(" ")}]`;
}
