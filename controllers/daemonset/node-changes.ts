import type { CachedNode } from "./fields.ts";

/** As many versions of a node are kept. One that changes more often counts as new. */
const MOST_VERSIONS = 20;

/** The versions of a node before each of its changes; "new" when there is nothing to compare the node with. */
export type Before = readonly CachedNode[] | "new";

/**
 * The versions that nodes have had since they were last looked at. Each of them counts, not only the first: a DaemonSet
 * may have been synced while the cache showed any of them.
 */
export class NodeChanges {
  readonly #before = new Map<string, Before>();

  added(name: string): void {
    this.#before.set(name, "new");
  }

  changed(name: string, before: CachedNode): void {
    const earlier = this.#before.get(name) ?? [];
    if (earlier === "new") return;
    this.#before.set(name, earlier.length < MOST_VERSIONS ? [...earlier, before] : "new");
  }

  removed(name: string): void {
    this.#before.delete(name);
  }

  /** Gives the versions of the node and forgets them. */
  take(name: string): Before {
    const before = this.#before.get(name) ?? [];
    this.#before.delete(name);
    return before;
  }
}
