/** A queue in a ring that doubles when it is full and is given back to the garbage collector when it runs empty. */
export class Ring<T> {
  #slots: (T | undefined)[] = emptySlots();
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(item: T): void {
    if (this.#length === this.#slots.length) this.#grow();
    this.#slots[(this.#head + this.#length) % this.#slots.length] = item;
    this.#length++;
  }

  shift(): T | undefined {
    if (this.#length === 0) return undefined;
    const item = this.#slots[this.#head];
    this.#slots[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#length--;
    if (this.#length === 0 && this.#slots.length > SMALLEST) this.clear();
    return item;
  }

  clear(): void {
    this.#slots = emptySlots();
    this.#head = 0;
    this.#length = 0;
  }

  #grow(): void {
    const larger: (T | undefined)[] = [...this.#slots.slice(this.#head), ...this.#slots.slice(0, this.#head)];
    larger.length = this.#length * 2;
    this.#slots = larger.fill(undefined, this.#length);
    this.#head = 0;
  }
}

const SMALLEST = 16;

function emptySlots<T>(): (T | undefined)[] {
  return Array.from({ length: SMALLEST }, () => undefined);
}
