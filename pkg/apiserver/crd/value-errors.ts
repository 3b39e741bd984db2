import { FieldErrors } from "../kinds/field-errors.ts";
import type { FieldError } from "../kinds/kind.ts";

/** Enough for people. An object may have a million mistakes. */
const maxErrors = 500;

/** What is wrong with a value by its schema. Paths are those within the value; `prefix` is the path of the value. */
export class ValueErrors extends FieldErrors {
  readonly #prefix: string;
  /** Of several schemas that do not fit, the one with the most of these is told about. */
  matches = 0;

  constructor(prefix: string) {
    super();
    this.#prefix = prefix;
  }

  /** To try a schema whose failure may mean nothing. */
  apart(): ValueErrors {
    return new ValueErrors(this.#prefix);
  }

  get full(): boolean {
    return this.list.length >= maxErrors;
  }

  merge(other: ValueErrors): void {
    for (const error of other.list) if (!this.full) this.list.push(error);
    this.matches += other.matches;
  }

  /** Forgets what was found since there were `count`. */
  forgetAfter(count: number): void {
    this.list.length = count;
  }

  /** Each once, at its place. */
  placed(): readonly FieldError[] {
    const found = new Map<string, FieldError>();
    for (const { type, field, message } of this.list) {
      const place = this.#placeOf(field);
      found.set(`${place} ${message}`, { type, field: place, message });
    }
    return [...found.values()];
  }

  #placeOf(path: string): string {
    if (this.#prefix === "") return path === "" ? "<nil>" : path;
    return path === "" ? this.#prefix : `${this.#prefix}.${path}`;
  }

  /** Errors of values say the path once more. */
  body(path: string, value: unknown, problem: string): void {
    this.invalid(path, value, `${path} in body ${problem}`);
  }

  /** An error that names no place but the whole value. */
  root(problem: string): void {
    this.invalid("", "", problem);
  }

  wrongType(path: string, shown: string, expected: string): void {
    const value = JSON.stringify(shown);
    const message = `Invalid value: ${value}: ${path} in body must be of type ${expected}: ${value}`;
    this.list.push({ type: "FieldValueTypeInvalid", field: path, message });
  }
}
