/**
 * BadRequest: the patch itself is malformed (HTTP 400). Unprocessable: it does not go with the object (422).
 * Internal: the API server fails with 500 on such a patch.
 */
export type PatchErrorCode = "BadRequest" | "Unprocessable" | "Internal";

export class PatchError extends Error {
  readonly code: PatchErrorCode;

  constructor(code: PatchErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The patch asks for something that the object is not. */
export class FailedTestError extends PatchError {
  constructor(path: string) {
    super("Unprocessable", `testing value ${path} failed: test failed`);
  }
}
