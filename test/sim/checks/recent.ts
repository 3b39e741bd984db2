/** What a number was over the last while. */
export class Recent {
  readonly #samples: { readonly sinceMs: number; readonly value: number }[] = [];

  set(nowMs: number, value: number): void {
    if (this.#samples.at(-1)?.value !== value) this.#samples.push({ sinceMs: nowMs, value });
  }

  /** The values that held just before that time or later. */
  since(ms: number): readonly number[] {
    let first = this.#samples.length - 1;
    while (first > 0 && (this.#samples[first]?.sinceMs ?? 0) >= ms) first--;
    return this.#samples.slice(Math.max(0, first)).map(({ value }) => value);
  }

  /** Those before the first value count as `unknown`. */
  max(sinceMs: number, unknown = 0): number {
    return Math.max(...this.#from(sinceMs, unknown));
  }

  min(sinceMs: number, unknown = 0): number {
    return Math.min(...this.#from(sinceMs, unknown));
  }

  #from(sinceMs: number, unknown: number): readonly number[] {
    const values = this.since(sinceMs);
    return values.length === 0 ? [unknown] : values;
  }
}

/** Recent numbers by key; a number that was never set has always been 0. */
export class RecentByKey {
  readonly #byKey = new Map<string, Recent>();

  set(key: string, nowMs: number, value: number): void {
    this.of(key).set(nowMs, value);
  }

  of(key: string): Recent {
    let recent = this.#byKey.get(key);
    if (recent === undefined) this.#byKey.set(key, (recent = new Recent()));
    return recent;
  }
}

/** Times at which something happened, by key. */
export class Occurrences {
  readonly #byKey = new Map<string, number[]>();

  add(key: string, nowMs: number): void {
    const times = this.#byKey.get(key);
    if (times === undefined) this.#byKey.set(key, [nowMs]);
    else times.push(nowMs);
  }

  countSince(key: string, sinceMs: number): number {
    return this.#byKey.get(key)?.filter((atMs) => atMs >= sinceMs).length ?? 0;
  }
}
