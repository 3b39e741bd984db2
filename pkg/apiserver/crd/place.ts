/** Where a value is within an object. The path is only spelled out when there is something to say of it. */
export class Place {
  readonly #parent: Place | undefined;
  readonly #step: string | number;
  /** What was here before; undefined where nothing was, or where it cannot be told what. */
  readonly before: unknown;

  private constructor(parent: Place | undefined, step: string | number, before: unknown) {
    this.#parent = parent;
    this.#step = step;
    this.before = before;
  }

  static root(before: unknown): Place {
    return new Place(undefined, "", before);
  }

  field(name: string, before?: unknown): Place {
    return new Place(this, name, before);
  }

  item(index: number, before?: unknown): Place {
    return new Place(this, index, before);
  }

  get isRoot(): boolean {
    return this.#parent === undefined;
  }

  get path(): string {
    if (this.#parent === undefined) return "";
    const outer = this.#parent.path;
    if (typeof this.#step === "number") return `${outer}[${this.#step}]`;
    return outer === "" ? this.#step : `${outer}.${this.#step}`;
  }
}
