import type { Json } from "../api/json.ts";

/** What is answered over HTTP. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** A request that is not answered as asked. The API server tells the message to whoever waits. */
export class ReplyError extends Error {
  readonly code = "WebhookReply";
  readonly status: number;
  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ReplyError";
    this.status = status;
  }
}

const REASONS: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

export function refusal(status: number, message: string): Reply {
  const reason = REASONS.get(status) ?? "InternalError";
  return {
    status,
    body: { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code: status },
  };
}
