import { compareStrings } from "../apply/path-element.ts";

/** A tree of values as Go prints it: map[a:1 b:[x y]]. */
export function goValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value === "string") return value;
  if (value === null || value === undefined) return "<nil>";
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => compareStrings(a, b));
  return `map[${entries.map(([key, part]) => `${key}:${goValue(part)}`).join(" ")}]`;
}
