import type { Node } from "../../pkg/api/types/core-v1.gen.ts";

/** Of a node that has changed as often as that nobody asks any more what it was like in between. */
const MOST_VERSIONS = 20;

/** What a node was like before it changed, as often as it did; "new" when there is nothing to compare it with. */
export type Before = readonly Node[] | "new";

/**
 * What nodes were like since they were last looked at. Each version counts and not only the first: a DaemonSet may have
 * been synced by any of them, and has to be synced again when the node is as before for others, but not for that sync.
 */
export class NodeChanges {
  readonly #before = new Map<string, Before>();

  added(name: string): void {
    this.#before.set(name, "new");
  }

  changed(name: string, before: Node): void {
    const earlier = this.#before.get(name) ?? [];
    if (earlier === "new") return;
    this.#before.set(name, earlier.length < MOST_VERSIONS ? [...earlier, before] : "new");
  }

  removed(name: string): void {
    this.#before.delete(name);
  }

  /** What it was like, which is forgotten with that. */
  take(name: string): Before {
    const before = this.#before.get(name) ?? [];
    this.#before.delete(name);
    return before;
  }
}
