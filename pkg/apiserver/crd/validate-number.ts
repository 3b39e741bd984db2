import { type Int64, isInt64 } from "../../api/int64.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import type { Place } from "./place.ts";
import type { ValueErrors } from "./value-errors.ts";

/** Bounds of numbers, judged as Go's int64 where the value is one: bounds lose their fraction then. */
export function validateNumber(value: Int64, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
  const range = rangeOf(schema);
  const requireInRange = (bound: Int64, what: string): boolean => {
    const fits = range === undefined || range.holds(bound);
    if (!fits) errors.root(`${what} value must be of type ${range.name} in ${place.path}`);
    return fits;
  };
  requireInRange(value, "Checked");
  const { minimum, maximum, multipleOf } = schema;
  const exactly = (bound: number, fits: boolean): number =>
    fits && isInt64(value) ? Math.trunc(bound) : bound;
  if (multipleOf !== undefined) {
    const factor = exactly(multipleOf, requireInRange(multipleOf, "MultipleOf"));
    if (factor <= 0)
      errors.invalid(
        place.path,
        "",
        `factor MultipleOf declared for ${place.path} must be positive: ${factor}`,
      );
    else if (!isMultiple(value, factor)) errors.body(place.path, value, `should be a multiple of ${factor}`);
  }
  if (maximum !== undefined) {
    const bound = exactly(maximum, requireInRange(maximum, "Maximum boundary"));
    const strict = schema.exclusiveMaximum === true;
    if (strict ? value >= bound : value > bound)
      errors.body(place.path, value, `should be less than ${strict ? "" : "or equal to "}${bound}`);
  }
  if (minimum !== undefined) {
    const bound = exactly(minimum, requireInRange(minimum, "Minimum boundary"));
    const strict = schema.exclusiveMinimum === true;
    if (strict ? value <= bound : value < bound)
      errors.body(place.path, value, `should be greater than ${strict ? "" : "or equal to "}${bound}`);
  }
}

interface Range {
  readonly name: string;
  readonly holds: (value: Int64) => boolean;
}

const ranges = {
  integer: { name: "integer (default format)", holds: isInt64 },
  int32: {
    name: "integer with format int32",
    holds: (value) => isInt64(value) && BigInt.asIntN(32, BigInt(value)) === BigInt(value),
  },
  int64: { name: "integer with format int64", holds: isInt64 },
  float: { name: "number with format float", holds: (value) => Number.isFinite(Math.fround(Number(value))) },
} satisfies Readonly<Record<string, Range>>;

/** Undefined where every double is fine. */
function rangeOf(schema: OpenApiSchema): Range | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return undefined;
  if (schema.type === "integer") {
    if (schema.format === "int32" || schema.format === "int64") return ranges[schema.format];
    return ranges.integer;
  }
  return schema.type === "number" && schema.format === "float" ? ranges.float : undefined;
}

function isMultiple(value: Int64, factor: number): boolean {
  if (isInt64(value) && Number.isInteger(factor))
    return typeof value === "bigint" ? value % BigInt(factor) === 0n : value % factor === 0;
  return isNearlyWhole(factor < 1 ? (1 / factor) * Number(value) : Number(value) / factor);
}

/** Doubles may be above a whole number by a rounding error. */
function isNearlyWhole(value: number): boolean {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return value === whole || Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}
