/** The program cannot do its work as it was started. The message is one line, fit for an operator. */
export class StartError extends Error {
  readonly code = "Start";
  constructor(message: string, cause?: unknown) {
    super(cause instanceof Error ? `${message}: ${cause.message}` : message, { cause });
    this.name = "StartError";
  }
}
