import { messageOf } from "../../api/errors.ts";
import { TransportError } from "../transport.ts";

/** undici's failures in the words of this client; an abort's reason as it is. */
export function failureOf(failure: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (failure instanceof TransportError) return failure;
  const message = messageOf(failure);
  const code = failure instanceof Error && "code" in failure ? failure.code : undefined;
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT") {
    return new TransportError("timeout", "the API server took too long to answer", true, failure);
  }
  return new TransportError("lost", `the connection was lost: ${message}`, true, failure);
}
