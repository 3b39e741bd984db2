import type { PartialObject } from "../../pkg/api/object.ts";
import { PerOwner } from "../../pkg/api/per-owner.ts";

/**
 * Pods whose finalizer was taken off and whose cache entry still has it, per Job. Such a pod was counted and must not be
 * counted again.
 */
export class FinalizerExpectations {
  readonly #awaited = new PerOwner<Set<string>>();

  expectRemoval(job: PartialObject, uids: Iterable<string>): void {
    const awaited = this.#awaited.get(job) ?? new Set<string>();
    for (const uid of uids) awaited.add(uid);
    if (awaited.size > 0) this.#awaited.set(job, awaited);
  }

  removalObserved(job: PartialObject, uid: string): void {
    const awaited = this.#awaited.get(job);
    if (awaited?.delete(uid) && awaited.size === 0) this.#awaited.delete(job);
  }

  isAwaited(job: PartialObject, uid: string): boolean {
    return this.#awaited.get(job)?.has(uid) ?? false;
  }

  /** As they are now: what is observed later does not change the answer. */
  awaited(job: PartialObject): ReadonlySet<string> {
    return new Set(this.#awaited.get(job));
  }

  /** This very Job is gone. */
  delete(job: PartialObject): void {
    this.#awaited.delete(job);
  }

  /** No Job has the name any more. */
  deleteName(key: string): void {
    this.#awaited.deleteName(key);
  }
}
