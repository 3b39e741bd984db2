import type { ApiObject, WatchEvent } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import type { WatchOptions } from "../../../pkg/client/resource-client.ts";

const REOPEN_MS = 100;

export interface Following {
  /** Resolves when the condition holds after some event, or does already. */
  until(what: string, condition: () => boolean, limitMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** Hands over what a watch tells; the load on the API server is that of one more watch, whatever is waited for. */
export function follow<T extends ApiObject>(
  client: ClientSet,
  resource: TypedResource<T>,
  options: WatchOptions,
  onEvent: (event: WatchEvent<T>) => void,
): Following {
  const stop = new AbortController();
  let onChange = (): void => undefined;
  let onFailure: (error: unknown) => void = () => undefined;
  let failure: unknown;
  const ended = (async () => {
    try {
      for await (const event of endlessWatch(client, resource, options, stop.signal)) {
        onEvent(event);
        onChange();
      }
    } catch (error) {
      failure = error;
      if (!stop.signal.aborted) onFailure(error);
    }
  })();
  return {
    until: async (what, condition, limitMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => onFailure(new Error(`not within ${limitMs / 1_000} s: ${what}`)),
          limitMs,
        );
        const settle = (): void => {
          clearTimeout(timer);
          onChange = () => undefined;
          onFailure = () => undefined;
        };
        onFailure = (error) => {
          settle();
          reject(error);
        };
        onChange = () => {
          if (!condition()) return;
          settle();
          resolve();
        };
        if (failure === undefined) onChange();
        else onFailure(failure);
      }),
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** A server under load cuts watches off; each goes on from where the one before it ended. */
async function* endlessWatch<T extends ApiObject>(
  client: ClientSet,
  resource: TypedResource<T>,
  options: WatchOptions,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    const since = resourceVersion === undefined ? {} : { resourceVersion };
    for await (const event of client.clientFor(resource).watch({ ...options, ...since }, signal)) {
      resourceVersion = event.object.metadata.resourceVersion;
      yield event;
    }
    await sleep(realClock, REOPEN_MS, signal);
  }
}
