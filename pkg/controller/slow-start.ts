/** Where the batches of pod creations start. */
export const SLOW_START_INITIAL_BATCH = 1;

export interface BatchOutcome {
  readonly successes: number;
  /** What failed: in the last batch, and in those before it that did not end the work. Empty when all went well. */
  readonly errors: readonly unknown[];
}

export interface BatchOptions {
  /** Calls of one batch, at the most. */
  readonly largest?: number;
  /**
   * How many failures end the work, when nothing goes well in between but calls of the same batches; 1 unless given. With
   * more than one, a call that fails whatever the others do does not keep those after it from being made.
   */
  readonly failures?: number;
}

/**
 * Calls `fn` for 0 … count − 1 in batches of `initial`, 2·initial, 4·initial … up to `largest`, the calls of a batch all
 * at once. A batch in which a call fails is the last, so a quota that is used up costs a few refused requests and not
 * `count` of them: with initial = 1 and a call that always fails, one call is made. Where more failures are put up with,
 * the batches start small again after each.
 */
export async function slowStartBatch(
  count: number,
  initial: number,
  fn: (index: number) => Promise<unknown>,
  { largest = Infinity, failures = 1 }: BatchOptions = {},
): Promise<BatchOutcome> {
  const errors: unknown[] = [];
  let started = 0;
  let sinceSuccess = 0;
  for (let size = initial; started < count && size > 0 && sinceSuccess < failures;) {
    const first = started;
    const batch = Math.min(size, count - first);
    started += batch;
    const results = await Promise.allSettled(
      Array.from({ length: batch }, async (_, index) => fn(first + index)),
    );
    const failed = results.filter((result) => result.status === "rejected");
    for (const { reason } of failed) errors.push(reason);
    sinceSuccess = failed.length < batch ? failed.length : sinceSuccess + failed.length;
    size = failed.length > 0 ? initial : Math.min(size * 2, largest);
  }
  return { successes: started - errors.length, errors };
}
