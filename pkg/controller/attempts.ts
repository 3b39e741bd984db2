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
