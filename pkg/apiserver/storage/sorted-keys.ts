/** So many keys are put where they belong one by one; more are put there together. */
const FEW = 16;

/** Keys in their order, for those who read them: who only adds some waits for no place to be made. */
export class SortedKeys {
  #sorted: string[] = [];
  #added: string[] = [];

  /** Not one of those that are there. */
  add(key: string): void {
    this.#added.push(key);
  }

  /** One of those that are there. */
  delete(key: string): void {
    this.#settle();
    this.#sorted.splice(lowerBound(this.#sorted, key), 1);
  }

  /** It is not to be kept: it changes. */
  get all(): readonly string[] {
    this.#settle();
    return this.#sorted;
  }

  #settle(): void {
    const added = this.#added;
    if (added.length === 0) return;
    this.#added = [];
    if (added.length <= FEW)
      for (const key of added) this.#sorted.splice(lowerBound(this.#sorted, key), 0, key);
    else this.#sorted = merged(this.#sorted, added.sort());
  }
}

function merged(some: readonly string[], others: readonly string[]): string[] {
  const all: string[] = [];
  let at = 0;
  for (const other of others) {
    for (let one = some[at]; one !== undefined && one < other; one = some[++at]) all.push(one);
    all.push(other);
  }
  for (; at < some.length; at++) all.push(some[at] ?? "");
  return all;
}

/** Index of the first key that is not below `key`. */
export function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? "") < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
