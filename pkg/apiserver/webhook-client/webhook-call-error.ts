/** A webhook could not be asked, or what it answered is no answer. The message is in the words of Go's client. */
export class WebhookCallError extends Error {
  readonly code = "WebhookCall";

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "WebhookCallError";
  }
}
