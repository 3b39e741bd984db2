/** Which volumes somebody in this process is writing. There is never a second one. */
export class Holds {
  /** By the volume's name: what is to be done when it is let go. */
  readonly #held = new Map<string, Set<() => void>>();

  /** False when somebody has it: then `whenFree` is called as soon as that has let it go. */
  tryHold(name: string, whenFree: () => void): boolean {
    const waiting = this.#held.get(name);
    if (waiting === undefined) {
      this.#held.set(name, new Set());
      return true;
    }
    waiting.add(whenFree);
    return false;
  }

  release(name: string): void {
    const waiting = this.#held.get(name) ?? [];
    this.#held.delete(name);
    for (const wake of waiting) wake();
  }
}
