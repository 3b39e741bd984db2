/** The program cannot do its work as it was started. The message is one line, fit for an operator. */
export class StartError extends Error {
  readonly code = "Start";
  /** The message goes on with the cause's, unless it says it all. */
  constructor(message: string, cause?: unknown, says: "cause" | "all" = "cause") {
    super(says === "cause" && cause instanceof Error ? `${message}: ${cause.message}` : message, { cause });
    this.name = "StartError";
  }
}
