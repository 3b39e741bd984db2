/** Where the batches of pod creations start. */
export const SLOW_START_INITIAL_BATCH = 1;

export interface BatchOutcome {
  readonly successes: number;
  /** What failed in the last batch; empty when all went well. */
  readonly errors: readonly unknown[];
}

/**
 * Calls `fn` for 0 … count − 1 in batches of `initial`, 2·initial, 4·initial … up to `largest`, the calls of a batch all
 * at once. A batch in which a call fails is the last, so a quota that is used up costs a few refused requests and not
 * `count` of them: with initial = 1 and a call that always fails, one call is made.
 */
export async function slowStartBatch(
  count: number,
  initial: number,
  fn: (index: number) => Promise<unknown>,
  largest = Infinity,
): Promise<BatchOutcome> {
  let successes = 0;
  let started = 0;
  for (let size = initial; started < count && size > 0; size = Math.min(size * 2, largest)) {
    const first = started;
    const batch = Math.min(size, count - first);
    started += batch;
    const results = await Promise.allSettled(
      Array.from({ length: batch }, async (_, index) => fn(first + index)),
    );
    const errors = results
      .filter((result) => result.status === "rejected")
      .map((result): unknown => result.reason);
    successes += batch - errors.length;
    if (errors.length > 0) return { successes, errors };
  }
  return { successes, errors: [] };
}
