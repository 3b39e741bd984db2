import type { Quantity } from "../../../api/quantity.ts";
import type { FieldErrors } from "../field-errors.ts";

/** An amount that is not negative, rounded up to a whole one. */
export function validateBasicAmount(amount: Quantity, path: string, errors: FieldErrors): void {
  if (amount.value() < 0) errors.invalid(path, amount.value(), "must be a valid resource quantity");
}
