import type { Strict } from "../../pkg/cache/informer/informer-factory.ts";

/**
 * The fields that controllers have read and not declared. A sync in which that happens throws and is only tried again,
 * perhaps with nothing amiss in the end: so whoever runs controllers asks here.
 */
export class UndeclaredReads {
  readonly #seen = new Set<string>();

  readonly note: Strict = ({ message }) => {
    this.#seen.add(message);
  };

  /** Throws when there were any since the last time. */
  check(): void {
    const seen = [...this.#seen];
    this.#seen.clear();
    if (seen.length > 0) throw new Error(seen.join("; "));
  }
}
