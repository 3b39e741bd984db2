import type { WatchEvent } from "../../api/object.ts";
import type { WatchOptions } from "../../client/resource-client.ts";
import type { Clock } from "../../clock/clock.ts";
import type { ListWatch } from "./list-watch.ts";

/** How much longer than agreed a watch may last before it counts as hung. */
const GRACE_MS = 30_000;

/** A watch that the server should have ended by itself: the connection is most likely dead. */
export class WatchOverdueError extends Error {
  readonly code = "WatchOverdue";
  constructor(timeoutSeconds: number) {
    super(`the watch did not end within its ${timeoutSeconds} s`);
    this.name = "WatchOverdueError";
  }
}

/** One open watch. It ends by itself, with an error, when `signal` aborts or when it is overdue. */
export class WatchStream<T> {
  readonly openedMs: number;
  events = 0;
  readonly #controller = new AbortController();
  readonly #events: AsyncIterator<WatchEvent<T>>;
  readonly #release: () => void;
  #ended = false;

  constructor(
    source: ListWatch<T>,
    options: WatchOptions & { readonly timeoutSeconds: number },
    clock: Clock,
    signal: AbortSignal,
  ) {
    const controller = this.#controller;
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const timer = clock.setTimer(options.timeoutSeconds * 1_000 + GRACE_MS, () =>
      controller.abort(new WatchOverdueError(options.timeoutSeconds)),
    );
    this.#release = () => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    };
    this.openedMs = clock.monotonicMs();
    try {
      this.#events = source.watch(options, controller.signal)[Symbol.asyncIterator]();
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** The next event; undefined once the server has ended the watch in an orderly way. */
  async next(): Promise<WatchEvent<T> | undefined> {
    try {
      const result = await this.#events.next();
      if (result.done !== true) {
        this.events++;
        return result.value;
      }
    } catch (error) {
      this.#end();
      throw error;
    }
    this.#end();
    return undefined;
  }

  /** Ends it with an error, at whatever it is. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Must not be called while a `next` is under way. */
  async close(): Promise<void> {
    if (this.#ended) return;
    this.#end();
    await this.#events.return?.();
  }

  #end(): void {
    this.#ended = true;
    this.#release();
  }
}
