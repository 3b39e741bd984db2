export interface ListNode<N> {
  previous: N | undefined;
  next: N | undefined;
}

/**
 * A doubly linked list whose links live in the elements: push, shift and removal from the middle are O(1) and allocate
 * nothing. An element is in at most one list at a time.
 */
export class IntrusiveList<N extends ListNode<N>> {
  #first: N | undefined;
  #last: N | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(node: N): void {
    node.previous = this.#last;
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    this.#length++;
  }

  shift(): N | undefined {
    const first = this.#first;
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** The node must be in this list. */
  remove(node: N): void {
    if (node.previous === undefined) this.#first = node.next;
    else node.previous.next = node.next;
    if (node.next === undefined) this.#last = node.previous;
    else node.next.previous = node.previous;
    node.previous = undefined;
    node.next = undefined;
    this.#length--;
  }
}
