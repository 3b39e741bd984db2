import { identityKey, type ObjectIdentity } from "./identity.ts";

const CAPACITY = 500;

/**
 * Owners that the server does not have: they need not be looked for again, for a uid never comes back. The least
 * recently used one makes room for the next.
 */
export class AbsentOwners {
  readonly #capacity: number;
  /** In order of use. */
  readonly #keys = new Set<string>();

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity;
  }

  add(owner: ObjectIdentity): void {
    this.#use(identityKey(owner));
    if (this.#keys.size <= this.#capacity) return;
    for (const oldest of this.#keys) {
      this.#keys.delete(oldest);
      return;
    }
  }

  has(owner: ObjectIdentity): boolean {
    const key = identityKey(owner);
    if (!this.#keys.has(key)) return false;
    this.#use(key);
    return true;
  }

  #use(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
  }
}
