import type { ApiObject, WatchEvent } from "../api/object.ts";
import type { WantedFields } from "../api/protobuf/message-plan.ts";
import { errorOfFailure, errorOfStatus } from "./errors.ts";
import type { RestClient, RestRequest } from "./rest.ts";
import { TransportError } from "./transport.ts";

/** A server that keeps a watch open for longer than it was asked to has stopped serving it. */
const OVERTIME_MS = 30_000;

/** The events of one watch. Leaving the loop early closes the stream. */
export async function* watchEvents<T extends ApiObject>(
  rest: RestClient,
  request: RestRequest,
  timeoutSeconds: number | undefined,
  fields: WantedFields | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  const watchdog =
    timeoutSeconds === undefined
      ? undefined
      : rest.clock.setTimer(timeoutSeconds * 1_000 + OVERTIME_MS, () =>
          stop.abort(new TransportError("timeout", "the watch outlived its time-out", true)),
        );
  try {
    const response = await rest.open(request, stop.signal);
    for await (const document of response.documents(fields)) {
      stop.signal.throwIfAborted();
      yield eventOf<T>(document, request);
    }
  } catch (failure) {
    throw errorOfFailure(failure, request);
  } finally {
    watchdog?.cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

function eventOf<T>(document: unknown, request: RestRequest): WatchEvent<T> {
  const { type, object } = (document ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  if (typeof object === "object" && object !== null) {
    if (type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK") {
      return document as WatchEvent<T>;
    }
    if (type === "ERROR") throw errorOfStatus(object, request);
  }
  throw new TransportError(
    "malformed",
    `a watch sent an event of unknown type ${JSON.stringify(type)}`,
    true,
  );
}
