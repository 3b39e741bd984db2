import { ByteCache } from "../../api/protobuf/byte-cache.ts";

const LONGEST_STRING = 128;
const LONGEST_VALUE = 512;
const STRINGS = 16_384;
const VALUES = 4_096;

/**
 * Gives equal strings, and equal small JSON values, the same memory. Shared values must never be changed, like
 * everything in the caches.
 */
export class Interner {
  /** The same, for parts of objects that come as bytes. */
  readonly bytes = new ByteCache();
  readonly #strings: Recent<string>;
  readonly #values: Recent<object>;

  constructor(strings = STRINGS, values = VALUES) {
    this.#strings = new Recent(strings);
    this.#values = new Recent(values);
  }

  /** What is remembered at the moment. */
  get size(): number {
    return this.#strings.size + this.#values.size;
  }

  string(text: string): string {
    if (text.length > LONGEST_STRING) return text;
    return this.#strings.get(text) ?? this.#strings.add(text, text);
  }

  /** A value equal to `value`: one that was made before, or what `make` gives. */
  value(value: object, make: () => object): object {
    const text = JSON.stringify(value);
    if (text.length > LONGEST_VALUE) return make();
    return this.#values.get(text) ?? this.#values.add(text, make());
  }
}

/**
 * A map that forgets what was not asked for while `capacity` others were: it keeps two generations, and drops the
 * old one whenever the young one is full.
 */
class Recent<T> {
  readonly #capacity: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): T | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    return old === undefined ? undefined : this.add(key, old);
  }

  add(key: string, item: T): T {
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, item);
    return item;
  }
}
