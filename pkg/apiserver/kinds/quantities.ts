import { isWrittenQuantity, parseQuantity, QuantityError } from "../../api/quantity-parse.ts";
import type { Quantity } from "../../api/quantity.ts";
import { child, type Json } from "../../api/json.ts";

/** The amounts of a resource list; what is not a quantity is left out, the schema has refused it before. */
export function quantities(parent: Json | undefined, key: string): Map<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const [name, value] of Object.entries(child(parent, key) ?? {})) {
    const quantity = readQuantity(value);
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}

export function readQuantity(value: unknown): Quantity | undefined {
  if (!isWrittenQuantity(value)) return undefined;
  try {
    return parseQuantity(value);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
