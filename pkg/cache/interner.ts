const LONGEST = 128;

/**
 * Gives equal strings the same memory. It keeps two generations: strings that are not seen again while one generation
 * fills up are forgotten, so that it stays small however many distinct strings go by.
 */
export class Interner {
  readonly #capacity: number;
  #young = new Map<string, string>();
  #old = new Map<string, string>();

  constructor(capacity = 16_384) {
    this.#capacity = capacity;
  }

  /** Strings in both generations, at most twice the capacity. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  intern(text: string): string {
    if (text.length > LONGEST) return text;
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const kept = this.#old.get(text) ?? text;
    this.#young.set(kept, kept);
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    return kept;
  }
}
