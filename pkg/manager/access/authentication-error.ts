/** The credentials of a request are not good. */
export class AuthenticationError extends Error {
  readonly code = "Unauthenticated";
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "AuthenticationError";
  }
}
