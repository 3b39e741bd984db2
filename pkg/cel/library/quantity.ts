import { approximateNumber, asInt64 } from "../../api/quantity-int64.ts";
import { parseQuantity, QuantityError } from "../../api/quantity-parse.ts";
import { Quantity } from "../../api/quantity.ts";
import { type FunctionOverload, overload } from "../declarations.ts";
import { structType } from "../types.ts";
import { EvaluationError, type OpaqueValue, type Value } from "../values.ts";
import { asInstance, asInt, asText } from "./arguments.ts";

const type = structType("kubernetes.Quantity");

export class QuantityValue implements OpaqueValue {
  readonly kind = "opaque";
  readonly type = type;

  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && other.quantity.compare(this.quantity) === 0;
  }
}

function parse(text: string): Quantity | QuantityError {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return error;
    throw error;
  }
}

function toQuantity(value: Value | undefined): QuantityValue {
  const quantity = parse(asText(value));
  if (quantity instanceof QuantityError) throw new EvaluationError(quantity.message, { cause: quantity });
  return new QuantityValue(quantity);
}

const quantityOf = (value: Value | undefined): Quantity => asInstance(value, QuantityValue).quantity;

function toInteger(value: Value | undefined): bigint {
  const integer = asInt64(quantityOf(value));
  if (integer === undefined) throw new EvaluationError("cannot convert value to integer");
  return integer;
}

const compared = (a: Value | undefined, b: Value | undefined): number => quantityOf(a).compare(quantityOf(b));

/** No sum has more digits: a hostile exponent must not make a number with a billion of them. */
const mostDigits = 10_000;

function added(a: Value | undefined, b: Quantity): QuantityValue {
  const quantity = quantityOf(a);
  if (Math.abs(quantity.exponent - b.exponent) > mostDigits)
    throw new EvaluationError("the quantities are too far apart to be added");
  return new QuantityValue(quantity.add(b));
}

const ofInt = (value: Value | undefined): Quantity => new Quantity(asInt(value), 0, "DecimalExponent");

const name = "kubernetes.Quantity";

export const quantityOverloads: readonly FunctionOverload[] = [
  overload("string_to_quantity", `quantity(string): ${name}`, toQuantity),
  overload(
    "is_quantity_string",
    "isQuantity(string): bool",
    (text) => parse(asText(text)) instanceof Quantity,
  ),
  overload("quantity_sign", `sign(${name}): int`, (value) => BigInt(quantityOf(value).sign())),
  overload(
    "quantity_is_greater_than",
    `(${name}).isGreaterThan(${name}): bool`,
    (a, b) => compared(a, b) > 0,
  ),
  overload("quantity_is_less_than", `(${name}).isLessThan(${name}): bool`, (a, b) => compared(a, b) < 0),
  overload("quantity_compare_to", `(${name}).compareTo(${name}): int`, (a, b) => BigInt(compared(a, b))),
  overload("quantity_get_float", `(${name}).asApproximateFloat(): double`, (value) =>
    approximateNumber(quantityOf(value)),
  ),
  overload("quantity_get_int", `(${name}).asInteger(): int`, toInteger),
  overload(
    "quantity_is_integer",
    `(${name}).isInteger(): bool`,
    (value) => asInt64(quantityOf(value)) !== undefined,
  ),
  overload("quantity_add", `(${name}).add(${name}): ${name}`, (a, b) => added(a, quantityOf(b))),
  overload("quantity_add_int", `(${name}).add(int): ${name}`, (a, b) => added(a, ofInt(b))),
  overload("quantity_sub", `(${name}).sub(${name}): ${name}`, (a, b) => added(a, quantityOf(b).negate())),
  overload("quantity_sub_int", `(${name}).sub(int): ${name}`, (a, b) => added(a, ofInt(b).negate())),
];
