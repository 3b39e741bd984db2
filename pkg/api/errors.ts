/** Of many errors that say different things, so many are quoted. */
const QUOTED = 10;

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** One error that stands for all of these; undefined when there is none. What says the same twice is quoted once. */
export function combinedError(errors: readonly unknown[]): unknown {
  if (errors.length <= 1) return errors[0];
  const said = [...new Set(errors.map(messageOf))];
  if (said.length === 1) return new AggregateError(errors, said[0]);
  const more = said.length > QUOTED ? [`and ${said.length - QUOTED} more`] : [];
  return new AggregateError(errors, `[${[...said.slice(0, QUOTED), ...more].join(", ")}]`);
}

/** For what was tried as a whole, whatever failed of it. */
export function throwAll(errors: readonly unknown[]): void {
  if (errors.length > 0) throw combinedError(errors);
}

/**
 * Throws `error` once what is left to be done because of it has been done: telling the user, writing it down. Should
 * that fail too, both are thrown: the second must not take the place of the first.
 */
export async function throwAfter(error: unknown, act: () => Promise<unknown>): Promise<never> {
  try {
    await act();
  } catch (second) {
    throw combinedError([error, second]);
  }
  throw error;
}

/** Whether that, and nothing else, is what failed. */
export function isOnly(error: unknown, is: (error: unknown) => boolean): boolean {
  return error instanceof AggregateError ? error.errors.every((each) => isOnly(each, is)) : is(error);
}
