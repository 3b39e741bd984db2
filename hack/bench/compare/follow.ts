import type { ApiObject, WatchEvent } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import type { WatchOptions } from "../../../pkg/client/resource-client.ts";

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
  const ended = (async () => {
    try {
      for await (const event of client.clientFor(resource).watch(options, stop.signal)) {
        onEvent(event);
        onChange();
      }
      onFailure(new Error(`the watch of ${resource.plural} ended`));
    } catch (error) {
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
        onChange();
      }),
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
