import { type PartialObject, keyOf } from "./object.ts";

interface Entry<T> {
  readonly uid: string | undefined;
  readonly value: T;
}

/**
 * What a controller remembers of the owners it works for. It belongs to a uid, not to a name: whoever takes the name of
 * an owner that is gone starts with nothing, whenever and in whatever order the end of the first is heard of. As work
 * queues never give out a key twice at a time, an entry per name is enough, and the key of an owner that is gone ends it.
 */
export class PerOwner<T> {
  readonly #entries = new Map<string, Entry<T>>();

  get(owner: PartialObject): T | undefined {
    const entry = this.#entries.get(keyOf(owner));
    return entry?.uid === owner.metadata.uid ? entry?.value : undefined;
  }

  /** What was remembered of an earlier owner of the name is forgotten. */
  set(owner: PartialObject, value: T): void {
    this.#entries.set(keyOf(owner), { uid: owner.metadata.uid, value });
  }

  /** This very owner is gone; what is remembered of another one with its name stays. */
  delete(owner: PartialObject): void {
    if (this.#entries.get(keyOf(owner))?.uid === owner.metadata.uid) this.#entries.delete(keyOf(owner));
  }

  /** Nobody has the name any more. */
  deleteName(key: string): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}
