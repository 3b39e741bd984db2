import type { Quantity } from "../../../api/quantity.ts";
import type { FieldErrors } from "../field-errors.ts";

/** Amounts that are not negative, rounded up to whole ones. */
export function validateBasicAmounts(
  amounts: ReadonlyMap<string, Quantity>,
  path: string,
  errors: FieldErrors,
): void {
  for (const [name, amount] of amounts)
    if (amount.value() < 0)
      errors.invalid(`${path}[${name}]`, amount.value(), "must be a valid resource quantity");
}
