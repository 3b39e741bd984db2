export interface Attempts {
  /** What failed so far. */
  readonly errors: readonly unknown[];
  /** Undefined when it fails, so that what comes after it is done all the same. Throws only when all is to end. */
  readonly attempt: <T>(act: () => Promise<T>) => Promise<T | undefined>;
}

/** For parts of a sync each of which is tried whatever becomes of the others. */
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

/** Tries it for each item, whatever becomes of the others. Throws at the end what failed, as one error. */
export async function attemptEach<T>(
  items: Iterable<T>,
  act: (item: T) => Promise<unknown>,
  { signal, failed, unless = () => false, atOnce = 1 }: EachOptions,
): Promise<void> {
  const failures: unknown[] = [];
  // All that work take from the same one.
  const left = Iterator.from(items);
  const work = async (): Promise<void> => {
    for (const item of left) {
      try {
        await act(item);
      } catch (error) {
        signal.throwIfAborted();
        if (!unless(error)) failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw new AggregateError(failures, failed(failures.length));
}
