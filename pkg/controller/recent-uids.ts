import { LRUCache } from "lru-cache";

/** The uids of so many objects, the latest that were heard of: what is known of others has to be asked for. */
export class RecentUids {
  readonly #uids: LRUCache<string, true>;

  constructor(most: number) {
    this.#uids = new LRUCache({ max: most });
  }

  add(uid: string): void {
    this.#uids.set(uid, true);
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }
}
