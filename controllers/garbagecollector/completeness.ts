const RECHECK_MS = 100;

/** What is watched, as Monitors tell of it. */
interface Watched {
  readonly filled: number | undefined;
}

/** A queue, of which only counts how many wait in it. */
interface Waiting {
  readonly work: { readonly length: number };
}

/**
 * Whether the graph has all that the server was found to have. An owner whose dependents are to be orphans is let go for
 * those that the graph knows, and the others would then be taken for garbage.
 */
export class Completeness {
  readonly #monitors: Watched;
  readonly #changes: Waiting;
  /** Of which lists everything has come into the graph. */
  #complete: number | undefined;

  constructor(monitors: Watched, changes: Waiting) {
    this.#monitors = monitors;
    this.#changes = changes;
  }

  /** For the workers: how long a key must wait. */
  waitMs(): number | undefined {
    const { filled } = this.#monitors;
    if (filled !== undefined && filled === this.#complete) return undefined;
    if (filled === undefined || this.#changes.work.length > 0) return RECHECK_MS;
    this.#complete = filled;
    return undefined;
  }
}
