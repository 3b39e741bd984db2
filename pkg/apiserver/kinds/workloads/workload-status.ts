import type { FieldErrors } from "../field-errors.ts";
import { count, int64, integer, type Json } from "../../../api/json.ts";

export function validateCounters(
  status: Json | undefined,
  keys: readonly string[],
  errors: FieldErrors,
): void {
  for (const key of keys) errors.nonNegative(`status.${key}`, int64(status, key));
}

export function validateNotGreater(
  status: Json | undefined,
  keys: readonly string[],
  { key: limitKey, name: limitName }: { readonly key: string; readonly name: string },
  errors: FieldErrors,
): void {
  const limit = count(status, limitKey);
  for (const key of keys) {
    const value = count(status, key);
    if (value > limit) errors.invalid(`status.${key}`, value, `cannot be greater than ${limitName}`);
  }
}

/** A collision count that went back would let a controller make the same name again. */
export function validateNotDecremented(
  status: Json | undefined,
  before: Json | undefined,
  key: string,
  errors: FieldErrors,
): void {
  const old = integer(before, key);
  const value = integer(status, key);
  if (old !== undefined && (value === undefined || value < old)) {
    errors.invalid(`status.${key}`, value ?? 0, "cannot be decremented");
  }
}
