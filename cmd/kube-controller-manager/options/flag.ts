import { messageOf } from "../../../pkg/api/errors.ts";
import { parseBoolean } from "../../../pkg/api/feature-gates.ts";
import { formatDurationMs, parseDurationMs } from "../../../pkg/api/duration.ts";

/** How the text of a flag becomes a value, and a value text. The names are those that users know from Go. */
export interface FlagType<T> {
  readonly name: string;
  /** Throws a FlagError that says what is wrong with the text. */
  parse(text: string): T;
  format(value: T): string;
  /** What the flag means when it stands alone, without `=value`. Without this, a value must follow. */
  readonly alone?: string;
  /** How a second use of the flag joins the first; a later value replaces the earlier one when left out. */
  join?(before: T, next: T): T;
}

export interface Flag<T> {
  readonly name: string;
  readonly type: FlagType<T>;
  readonly default: T;
  readonly help: string;
  readonly shorthand?: string;
  /** Where the value lives in KubeControllerManagerConfiguration: keys joined by dots. */
  readonly config?: string;
  /** Accepted for compatibility; nothing here depends on it. The text says why. */
  readonly unused?: string;
  /** Accepted, but not listed in --help. */
  readonly hidden?: boolean;
}

export type FlagExtras = Omit<Flag<unknown>, "name" | "type" | "default" | "help">;
export type FlagSet = Readonly<Record<string, Flag<never>>>;

/** Flags that --help lists under one title. Keys are the names that the program uses. */
export interface FlagGroup<F extends object = FlagSet> {
  readonly title: string;
  readonly flags: F;
}

export type ValuesOf<G> =
  G extends FlagGroup<infer F> ? { readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never } : never;

export class FlagError extends Error {
  readonly code = "BadFlag";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "FlagError";
  }
}

/** Makes flags of a type. */
export function ofType<T>(
  type: FlagType<T>,
): (name: string, defaultValue: T, help: string, extras?: FlagExtras) => Flag<T> {
  return (name, defaultValue, help, extras = {}) => ({ name, type, default: defaultValue, help, ...extras });
}

const booleanType: FlagType<boolean> = {
  name: "bool",
  alone: "true",
  parse: (text) => {
    const value = parseBoolean(text);
    if (value === undefined) throw new FlagError("must be true or false");
    return value;
  },
  format: String,
};

const INT32_MAX = 2 ** 31 - 1;

function integerType(name: string, limit: number): FlagType<number> {
  return {
    name,
    parse: (text) => {
      if (!/^[+-]?\d+$/.test(text)) throw new FlagError("must be a whole number");
      const value = Number(text);
      if (value > limit || value < -limit - 1) throw new FlagError("is out of range");
      return value;
    },
    format: String,
  };
}

function decimalType(name: string): FlagType<number> {
  return {
    name,
    parse: (text) => {
      const value = Number(text);
      if (text.trim() === "" || !Number.isFinite(value)) throw new FlagError("must be a number");
      return value;
    },
    format: String,
  };
}

const durationType: FlagType<number> = {
  name: "duration",
  parse: (text) => {
    try {
      return parseDurationMs(text);
    } catch (error) {
      throw new FlagError(messageOf(error), { cause: error });
    }
  },
  format: formatDurationMs,
};

const textType: FlagType<string> = { name: "string", parse: (text) => text, format: (text) => text };

/** One flag of this type may be used many times; each use may carry many values, joined by commas. */
export const listType: FlagType<readonly string[]> = {
  name: "strings",
  parse: splitList,
  format: joinList,
  join: (before, next) => [...before, ...next],
};

/** As Go writes lists: values with commas, quotes or spaces in front stand in double quotes. */
export function joinList(values: readonly string[]): string {
  const quoted = values.map((value) =>
    /^\s|[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value,
  );
  return `[${quoted.join(",")}]`;
}

/** Splits at commas outside double quotes, as the CSV reader behind Go's flags does. */
export function splitList(text: string): readonly string[] {
  if (text === "") return [];
  const values: string[] = [];
  let value = "";
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') {
      if (quoted && text.charAt(index + 1) === '"') value += text.charAt(index++);
      else quoted = !quoted;
    } else if (character === "," && !quoted) {
      values.push(value);
      value = "";
    } else value += character;
  }
  if (quoted) throw new FlagError("has a double quote that is not closed");
  return [...values, value];
}

export const bool = ofType(booleanType);
export const int32 = ofType(integerType("int32", INT32_MAX));
export const int = ofType(integerType("int", Number.MAX_SAFE_INTEGER));
export const float32 = ofType(decimalType("float32"));
export const float = ofType(decimalType("float"));
/** Milliseconds in the program, Go's form (`1h30m`) outside. */
export const duration = ofType(durationType);
export const text = ofType(textType);
export const list = ofType(listType);
