import type { ApiObject, WatchEvent } from "../api/object.ts";
import { type AnswerKind, isStatus } from "./answer-kind.ts";
import { errorOfFailure, errorOfStatus } from "./errors.ts";
import type { WatchOptions } from "./resource-client.ts";
import type { RestClient, RestRequest } from "./rest.ts";
import { TransportError } from "./transport.ts";

/** A server that keeps a watch open for longer than it was asked to has stopped serving it. */
const OVERTIME_MS = 30_000;

interface Watch<T extends ApiObject> {
  readonly request: RestRequest;
  readonly answer: AnswerKind<T>;
  readonly options: WatchOptions;
}

/** The events of one watch. Leaving the loop early closes the stream. */
export async function* watchEvents<T extends ApiObject>(
  rest: RestClient,
  { request, answer, options }: Watch<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { timeoutSeconds, fields, onUnreadable } = options;
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
      const event = eventOf(document, answer, request);
      if (!(event instanceof TransportError)) yield event;
      else if (onUnreadable === undefined) throw event;
      else onUnreadable(errorOfFailure(event, request));
    }
  } catch (failure) {
    throw errorOfFailure(failure, request);
  } finally {
    watchdog?.cancel();
    signal?.removeEventListener("abort", onAbort);
  }
}

function eventOf<T extends ApiObject>(
  document: unknown,
  answer: AnswerKind<T>,
  request: RestRequest,
): WatchEvent<T> | TransportError {
  if (document instanceof TransportError) return document;
  const { type, object } = (document ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  const isChange = type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK";
  if (isChange && answer.isObject(object)) return document as WatchEvent<T>;
  if (type === "ERROR" && isStatus(object)) throw errorOfStatus(object, request);
  const { kind } = (object ?? {}) as { readonly kind?: unknown };
  const found = `${JSON.stringify(type)} with ${JSON.stringify(kind)}`;
  return new TransportError("malformed", `a watch sent an event that cannot be understood: ${found}`, true);
}
