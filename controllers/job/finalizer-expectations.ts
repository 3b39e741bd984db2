/**
 * Pods whose finalizer was taken off and whose cache entry still has it, per Job. Such a pod was counted and must not be
 * counted again.
 */
export class FinalizerExpectations {
  readonly #awaited = new Map<string, Set<string>>();

  expectRemoval(jobKey: string, uids: Iterable<string>): void {
    const awaited = this.#awaited.get(jobKey) ?? new Set();
    for (const uid of uids) awaited.add(uid);
    if (awaited.size > 0) this.#awaited.set(jobKey, awaited);
  }

  removalObserved(jobKey: string, uid: string): void {
    const awaited = this.#awaited.get(jobKey);
    if (awaited?.delete(uid) && awaited.size === 0) this.#awaited.delete(jobKey);
  }

  isAwaited(jobKey: string, uid: string): boolean {
    return this.#awaited.get(jobKey)?.has(uid) ?? false;
  }

  /** As they are now: what is observed later does not change the answer. */
  awaited(jobKey: string): ReadonlySet<string> {
    return new Set(this.#awaited.get(jobKey));
  }

  /** The Job is gone. */
  delete(jobKey: string): void {
    this.#awaited.delete(jobKey);
  }
}
