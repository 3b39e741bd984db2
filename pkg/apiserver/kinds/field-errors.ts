import { quotedAsInGo } from "../../api/go-quote.ts";
import type { Int64 } from "../../api/int64.ts";
import type { FieldError } from "./kind.ts";
import { sameValue } from "../../api/json.ts";

/** Stands for a value that a message does not repeat. */
export const omitted: unique symbol = Symbol("omitted");

/** Collects the causes of a 422 in the order in which they are found. */
export class FieldErrors {
  readonly list: FieldError[] = [];

  required(field: string, detail = ""): void {
    this.#add("FieldValueRequired", field, "Required value", detail);
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, withValue("Invalid value", value), detail);
  }

  invalidEach(field: string, value: unknown, details: readonly string[]): void {
    for (const detail of details) this.invalid(field, value, detail);
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const quoted = supported.map((item) => JSON.stringify(item)).join(", ");
    const detail = supported.length === 0 ? "" : `supported values: ${quoted}`;
    this.#add("FieldValueNotSupported", field, withValue("Unsupported value", value), detail);
  }

  /** Checks a required enumerated field: missing and unknown values are different errors. */
  oneOf(field: string, value: string, supported: readonly string[]): void {
    if (value === "") this.required(field);
    else if (!supported.includes(value)) this.notSupported(field, value, supported);
  }

  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, "Forbidden", detail);
  }

  duplicate(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueDuplicate", field, withValue("Duplicate value", value), detail);
  }

  notFound(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueNotFound", field, withValue("Not found", value), detail);
  }

  tooLong(field: string, maximum: number): void {
    const noun = maximum === 1 ? "byte" : "bytes";
    this.#add("FieldValueTooLong", field, "Too long", `may not be more than ${maximum} ${noun}`);
  }

  tooMany(field: string, actual: number, maximum: number): void {
    const noun = maximum === 1 ? "item" : "items";
    this.#add("FieldValueTooMany", field, `Too many: ${actual}`, `must have at most ${maximum} ${noun}`);
  }

  internal(field: string, problem: string): void {
    this.#add("InternalError", field, `Internal error: ${problem}`, "");
  }

  nonNegative(field: string, value: Int64 | undefined): void {
    if (value !== undefined && value < 0) this.invalid(field, value, "must be greater than or equal to 0");
  }

  immutable(field: string, value: unknown, before: unknown): void {
    if (!sameValue(value, before)) this.invalid(field, value ?? null, "field is immutable");
  }

  /** As `immutable`, in the words of newer kinds, which do not repeat the value. */
  unchanged(field: string, value: unknown, before: unknown): void {
    if (!sameValue(value, before)) this.invalid(field, null, "field is immutable");
  }

  #add(type: FieldError["type"], field: string, body: string, detail: string): void {
    this.list.push({ type, field, message: detail === "" ? body : `${body}: ${detail}` });
  }
}

function withValue(title: string, value: unknown): string {
  if (value === omitted) return title;
  return `${title}: ${typeof value === "string" ? quotedAsInGo(value) : JSON.stringify(value)}`;
}
