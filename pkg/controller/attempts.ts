export interface Attempts {
  /** The errors so far. */
  readonly errors: readonly unknown[];
  /** Gives undefined when it fails, so that the next part is done all the same. Throws only when everything is to end. */
  readonly attempt: <T>(act: () => Promise<T>) => Promise<T | undefined>;
}

/** For a sync of several parts: each is tried, even if another has failed. */
export function attempts(signal: AbortSignal): Attempts {
  const errors: unknown[] = [];
  const attempt = async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await act();
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
      return undefined;
    }
  };
  return { errors, attempt };
}

export interface EachOptions {
  readonly signal: AbortSignal;
  /** What the error says that stands for those of `count` items. */
  readonly failed: (count: number) => string;
  /** Errors that are none, such as that the item is gone. */
  readonly unless?: (error: unknown) => boolean;
  /** As many are worked on at a time; one when left out. */
  readonly atOnce?: number;
}

/** Tries each item, even if others fail. Throws all errors as one at the end. */
export async function attemptEach<T>(
  items: Iterable<T>,
  act: (item: T) => Promise<unknown>,
  { signal, failed, unless = () => false, atOnce = 1 }: EachOptions,
): Promise<void> {
  const failures: unknown[] = [];
  await sideBySide(items, atOnce, async (item) => {
    try {
      await act(item);
    } catch (error) {
      signal.throwIfAborted();
      if (!unless(error)) failures.push(error);
    }
  });
  if (failures.length > 0) throw new AggregateError(failures, failed(failures.length));
}

/**
 * Works on `atOnce` items at a time; each that is done makes room for the next. There are no more at work than items: as
 * a rule 500 may be, and there is one.
 */
export async function sideBySide<T>(
  items: Iterable<T>,
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  // All that work take from the same one.
  const left = Iterator.from(items);
  const work = async (first: T): Promise<void> => {
    try {
      await act(first);
      for (const item of left) await act(item);
    } catch (error) {
      left.return?.();
      throw error;
    }
  };
  const running: Promise<void>[] = [];
  while (running.length < atOnce) {
    const next = left.next();
    if (next.done === true) break;
    running.push(work(next.value));
  }
  await Promise.all(running);
}
