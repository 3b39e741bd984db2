import type { IntOrString } from "../../api/int-or-string.ts";
import type { FieldErrors } from "./field-errors.ts";
import { percentage } from "./formats.ts";
import type { Json } from "../../api/json.ts";

/** An int-or-percent field of a rolling update. */
export function intOrPercent(parent: Json | undefined, key: string): IntOrString | undefined {
  const value = parent?.[key];
  return typeof value === "number" || typeof value === "string" ? value : undefined;
}

export function validateIntOrPercent(value: IntOrString, path: string, errors: FieldErrors): void {
  if (typeof value === "string") errors.invalidEach(path, value, percentage(value));
  else errors.nonNegative(path, value);
}

export function validateAtMostAll(value: IntOrString, path: string, errors: FieldErrors): void {
  if (typeof value === "string" && percentage(value).length === 0 && Number.parseInt(value, 10) > 100) {
    errors.invalid(path, value, "must not be greater than 100%");
  }
}

/** What the value amounts to of 100, enough to know whether it is zero. */
export function amountOf(value: IntOrString | undefined): number {
  if (typeof value === "number") return value;
  // upstream: what is no percentage counts as the number that it is, though it is refused.
  if (value !== undefined && /^[+-]?\d+$/.test(value)) return Number(value);
  return value !== undefined && percentage(value).length === 0 ? Number.parseInt(value, 10) : 0;
}
