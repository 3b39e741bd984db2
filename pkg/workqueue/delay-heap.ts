interface Slot<K, V> {
  readonly key: K;
  value: V;
  dueMs: number;
  /** Equal times leave in the order in which they came. */
  readonly order: number;
  index: number;
}

/**
 * Keys ordered by due time: a binary heap in which every slot knows its index, so that a key's time can be moved up.
 * A key is in it once.
 */
export class DelayHeap<K, V> {
  readonly #heap: Slot<K, V>[] = [];
  readonly #slots = new Map<K, Slot<K, V>>();
  #nextOrder = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** Infinity when empty. */
  get firstDueMs(): number {
    return this.#heap[0]?.dueMs ?? Infinity;
  }

  get(key: K): V | undefined {
    return this.#slots.get(key)?.value;
  }

  /** A key that already waits takes the new value and keeps the earlier time. */
  insert(key: K, value: V, dueMs: number): void {
    const known = this.#slots.get(key);
    if (known !== undefined) {
      known.value = value;
      if (dueMs >= known.dueMs) return;
      known.dueMs = dueMs;
      this.#siftUp(known);
      return;
    }
    const slot = { key, value, dueMs, order: this.#nextOrder++, index: this.#heap.length };
    this.#slots.set(key, slot);
    this.#heap.push(slot);
    this.#siftUp(slot);
  }

  /** Removes and gives the first key if it is due at `nowMs`. */
  shiftDue(nowMs: number): { readonly key: K; readonly value: V } | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#slots.delete(first.key);
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#siftDown(last);
    return first;
  }

  clear(): void {
    this.#heap.length = 0;
    this.#slots.clear();
  }

  /** Moves the slot from its index towards the root, to where its time belongs. */
  #siftUp(slot: Slot<K, V>): void {
    let index = slot.index;
    while (index > 0) {
      const parent = this.#heap[(index - 1) >>> 1];
      if (parent === undefined || before(parent, slot)) break;
      const parentIndex = parent.index;
      this.#place(parent, index);
      index = parentIndex;
    }
    this.#place(slot, index);
  }

  /** Puts the slot at the root and moves it down to where its time belongs. */
  #siftDown(slot: Slot<K, V>): void {
    let index = 0;
    for (;;) {
      const left = this.#heap[2 * index + 1];
      if (left === undefined) break;
      const right = this.#heap[2 * index + 2];
      const child = right !== undefined && before(right, left) ? right : left;
      if (before(slot, child)) break;
      const childIndex = child.index;
      this.#place(child, index);
      index = childIndex;
    }
    this.#place(slot, index);
  }

  #place(slot: Slot<K, V>, index: number): void {
    this.#heap[index] = slot;
    slot.index = index;
  }
}

function before(one: Slot<unknown, unknown>, other: Slot<unknown, unknown>): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}
