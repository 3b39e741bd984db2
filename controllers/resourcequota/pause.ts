const RECHECK_MS = 100;

/** While caches are being filled, counts would be too low: syncs are put off. It begins paused. */
export class Pause {
  #paused = true;

  begin(): void {
    this.#paused = true;
  }

  end(): void {
    this.#paused = false;
  }

  hasSynced(): boolean {
    return !this.#paused;
  }

  /** For the workers: how long a key must wait. */
  waitMs(): number | undefined {
    return this.#paused ? RECHECK_MS : undefined;
  }
}
