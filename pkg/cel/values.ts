// What expressions work with. Ints are bigints, doubles are numbers.

import type { Steps } from "../api/steps.ts";
import type { Type } from "./types.ts";

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly type: Type;

  constructor(type: Type) {
    this.type = type;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A list that need not be there yet: API objects are converted as far as they are read. */
export interface ListValue extends Iterable<Value> {
  readonly kind: "list";
  readonly size: number;
  at(index: number): Value;
  /** Lists whose order means nothing compare in their own way, and add what they do not have yet. */
  readonly equals?: (other: ListValue) => boolean;
  readonly plus?: (other: ListValue) => ListValue;
}

/** A map or an object. Keys are bools, ints, uints and strings. */
export interface MapValue {
  readonly kind: "map";
  /** Of an object its type; undefined for maps. */
  readonly type: Type | undefined;
  readonly size: number;
  /** What a look-up finds where there is nothing. */
  readonly fallback?: Value;
  get(key: Value): Value | undefined;
  keys(): Iterable<Value>;
  /** Finds out, with pauses, what `get` is going to answer, where that may take long. */
  prepare?(key: string): Steps<void>;
}

/** A value of a type that a library brings. */
export interface OpaqueValue {
  readonly kind: "opaque";
  readonly type: Type;
  equals(other: OpaqueValue): boolean;
  /** Its size as far as costs are concerned, where it has one. */
  readonly size?: number;
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Duration
  | ListValue
  | MapValue
  | OpaqueValue
  | Optional
  | Timestamp
  | TypeValue
  | Uint
  | Uint8Array;

/** What goes wrong in an evaluation; logical operators may do without the side that fails. */
export class EvaluationError extends Error {
  readonly code = "CelEvaluationFailed";

  /** Where in the evaluator that was tells nobody anything, and takes longer to find out than most expressions do. */
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

export const isList = (value: Value): value is ListValue => hasKind(value, "list");
export const isMap = (value: Value): value is MapValue => hasKind(value, "map");
export const isOpaque = (value: Value): value is OpaqueValue => hasKind(value, "opaque");

function hasKind(value: Value, kind: string): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
}

export class ArrayList implements ListValue {
  readonly kind = "list";
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    const item = this.#items[index];
    if (item === undefined) throw new EvaluationError(`index out of bounds: ${index}`);
    return item;
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#items[Symbol.iterator]();
  }
}

/** Numbers that are equal are one key, whatever their type: 1, 1u and 1.0. */
export function keyText(key: Value): string | undefined {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (typeof key === "bigint") return `n${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === "number" && Number.isInteger(key)) return `n${BigInt(key)}`;
  return undefined;
}

/** The keys and values of a map, each key once. */
export class EntryMap implements MapValue {
  readonly kind = "map";
  readonly type: Type | undefined;
  protected readonly entries = new Map<string, readonly [key: Value, value: Value]>();

  /** Of a key that is there twice the last value counts. */
  constructor(entries: Iterable<readonly [key: Value, value: Value]>, type?: Type) {
    this.type = type;
    for (const [key, value] of entries) this.put(key, value);
  }

  protected put(key: Value, value: Value): void {
    const text = keyText(key);
    if (text === undefined || typeof key === "number") throw new EvaluationError("unsupported key type");
    this.entries.set(text, [key, value]);
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: Value): Value | undefined {
    const text = keyText(key);
    return text === undefined ? undefined : this.entries.get(text)?.[1];
  }

  keys(): Iterable<Value> {
    return [...this.entries.values()].map(([key]) => key);
  }
}

/** The map that a loop fills. Nobody else has it before the loop ends, so it need not be copied for each entry. */
export class GrowingMap extends EntryMap {
  constructor() {
    super([]);
  }

  insert(key: Value, value: Value): this {
    if (this.get(key) !== undefined)
      throw new EvaluationError(`insert failed: key ${keyText(key)?.slice(1) ?? ""} already exists`);
    this.put(key, value);
    return this;
  }
}

/** The list that a loop fills, as GrowingMap. */
export class GrowingList implements ListValue {
  readonly kind = "list";
  readonly #items: Value[] = [];

  get size(): number {
    return this.#items.length;
  }

  at(index: number): Value {
    return this.settled().at(index);
  }

  /** What it has become; it must not grow any more. */
  settled(): ArrayList {
    return new ArrayList(this.#items);
  }

  append(items: Iterable<Value>): this {
    for (const item of items) this.#items.push(item);
    return this;
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#items[Symbol.iterator]();
  }
}
