/** A volume on a node: what is attached, and detached. Names of nodes have no slash. */
export interface VolumePlace {
  readonly node: string;
  /** The unique name of the volume. */
  readonly volume: string;
}

export function volumeKey({ node, volume }: VolumePlace): string {
  return `${node}/${volume}`;
}

export function volumePlaceOf(key: string): VolumePlace {
  const slash = key.indexOf("/");
  return { node: key.slice(0, slash), volume: key.slice(slash + 1) };
}

/** Sets of keys by a name: no set is empty. */
export class KeySets {
  readonly #sets = new Map<string, Set<string>>();

  add(name: string, key: string): void {
    const set = this.#sets.get(name);
    if (set === undefined) this.#sets.set(name, new Set([key]));
    else set.add(key);
  }

  delete(name: string, key: string): void {
    const set = this.#sets.get(name);
    if (set?.delete(key) && set.size === 0) this.#sets.delete(name);
  }

  /** The keys, which are no longer in the set. */
  take(name: string): ReadonlySet<string> {
    const set = this.of(name);
    this.#sets.delete(name);
    return set;
  }

  of(name: string): ReadonlySet<string> {
    return this.#sets.get(name) ?? NONE;
  }

  has(name: string): boolean {
    return this.#sets.has(name);
  }
}

const NONE: ReadonlySet<string> = new Set();
