import { IntrusiveList, type ListNode } from "./intrusive-list.ts";
import type { Priority } from "./queue.ts";

/** All that a queue knows of one key, from its first add to the done after which nothing is left to do. */
export interface Entry<K> extends ListNode<Entry<K>> {
  readonly key: K;
  /** Of the waiting key; of the key that is worked on: the one it was taken with. */
  priority: Priority;
  processing: boolean;
  /** Set when the key was added while it was being worked on: it goes back in line with this priority. */
  again: Priority | undefined;
  /** The group whose list holds the entry while it waits in a fair line. */
  group: Group<K> | undefined;
  /** Monotonic times, kept only for metrics. */
  addedMs: number;
  startedMs: number;
}

/** One turn of the round: the waiting keys of one group, first come first served. */
export interface Group<K> extends ListNode<Group<K>> {
  readonly name: string;
  readonly entries: IntrusiveList<Entry<K>>;
}

/** Waiting entries in the order in which they are handed out. */
export interface Line<K> {
  readonly length: number;
  push(entry: Entry<K>): void;
  shift(): Entry<K> | undefined;
  /** Takes an entry of this line out of turn. */
  remove(entry: Entry<K>): void;
}

export function fifoLine<K>(): Line<K> {
  return new IntrusiveList<Entry<K>>();
}

/**
 * A round-robin over groups. Every group with waiting keys is in the round once; a group that was served goes to the
 * end of the round, or leaves it (and memory) when its last key left.
 *
 * Bound: a key at position p of its group is handed out within p·G shifts, G being the largest number of groups that
 * wait at one time. For between two turns of its group every other group has at most one: whoever was ahead is put
 * behind it when served, and whoever comes (or comes back) joins at the end. What other groups hold does not matter.
 */
export class FairLine<K> implements Line<K> {
  readonly #groupOf: (key: K) => string;
  readonly #groups = new Map<string, Group<K>>();
  readonly #round = new IntrusiveList<Group<K>>();
  #length = 0;

  constructor(groupOf: (key: K) => string) {
    this.#groupOf = groupOf;
  }

  get length(): number {
    return this.#length;
  }

  get groupCount(): number {
    return this.#groups.size;
  }

  push(entry: Entry<K>): void {
    const name = this.#groupOf(entry.key);
    let group = this.#groups.get(name);
    if (group === undefined) {
      group = { name, entries: new IntrusiveList(), previous: undefined, next: undefined };
      this.#groups.set(name, group);
      this.#round.push(group);
    }
    group.entries.push(entry);
    entry.group = group;
    this.#length++;
  }

  shift(): Entry<K> | undefined {
    const group = this.#round.shift();
    if (group === undefined) return undefined;
    const entry = group.entries.shift();
    if (group.entries.length > 0) this.#round.push(group);
    else this.#groups.delete(group.name);
    if (entry !== undefined) entry.group = undefined;
    this.#length--;
    return entry;
  }

  remove(entry: Entry<K>): void {
    const group = entry.group;
    if (group === undefined) return;
    group.entries.remove(entry);
    entry.group = undefined;
    this.#length--;
    if (group.entries.length > 0) return;
    this.#round.remove(group);
    this.#groups.delete(group.name);
  }
}

/** The namespace of `namespace/name`; cluster-scoped keys, and keys that are not strings, are one group. */
export function namespaceOfKey(key: unknown): string {
  if (typeof key !== "string") return "";
  const slash = key.indexOf("/");
  return slash < 0 ? "" : key.slice(0, slash);
}
