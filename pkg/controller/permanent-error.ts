/**
 * Trying again is in vain: a spec that makes no sense, a name that is taken for good. The key is left alone until its
 * next change, be it that other errors name this one as their cause.
 */
export class PermanentError extends Error {
  readonly code = "Permanent";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PermanentError";
  }
}

export function isPermanent(error: unknown): boolean {
  return error instanceof PermanentError || (error instanceof Error && isPermanent(error.cause));
}
