/**
 * Gives one object for all that are equal, so that queues, which tell keys apart as objects, know an equal key again.
 * Each is kept for as long as somebody else holds it.
 */
export class OnePerValue<T extends object> {
  readonly #known = new Map<string, WeakRef<T>>();
  readonly #released = new FinalizationRegistry<string>((text) => {
    // It may have been made anew before this was told.
    if (this.#known.get(text)?.deref() === undefined) this.#known.delete(text);
  });

  /** What tells values apart is their fields, as JSON. */
  of(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#known.get(text)?.deref();
    if (known !== undefined) return known;
    this.#known.set(text, new WeakRef(value));
    this.#released.register(value, text);
    return value;
  }

  get size(): number {
    return this.#known.size;
  }
}
