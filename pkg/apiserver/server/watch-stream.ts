import type { Clock, Timer } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import type { WatchFrame } from "./request.ts";

export interface WatchStreamOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMs: number;
  /** What the stream begins with. It does not count towards the bound on waiting frames. */
  readonly initial: readonly WatchFrame[];
  /** Pushes a bookmark of now, sooner or later; undefined when the client did not ask for them. */
  readonly bookmark: (() => void) | undefined;
  readonly signal?: AbortSignal;
}

/** A watcher this far behind is cut off; it comes back with the last version it saw. */
const maxWaiting = 4096;
const bookmarkPeriodMs = 60_000;
/** The last bookmark comes this long before the time-out, so that the client can go on from it. */
const finalBookmarkMs = 2_000;

/** The frames of one watch: filled by writes, emptied by one reader. Ends by time-out, abort or `end`. */
export class WatchStream implements AsyncIterable<WatchFrame> {
  readonly #options: WatchStreamOptions;
  readonly #endMs: number;
  #queue: WatchFrame[];
  #head = 0;
  #initialLeft: number;
  #ended = false;
  #wake: (() => void) | undefined;
  readonly #timers = new Set<Timer>();
  readonly #cleanups: (() => void)[] = [];

  constructor(options: WatchStreamOptions) {
    this.#options = options;
    this.#queue = [...options.initial];
    this.#initialLeft = options.initial.length;
    const { clock, timeoutMs, signal } = options;
    this.#endMs = clock.monotonicMs() + timeoutMs;
    this.#timers.add(clock.setTimer(timeoutMs, () => this.finish()));
    if (options.bookmark !== undefined) this.#scheduleBookmark();
    if (signal !== undefined) {
      const onAbort = (): void => this.end();
      if (signal.aborted) this.end();
      else {
        signal.addEventListener("abort", onAbort, { once: true });
        this.onEnd(() => signal.removeEventListener("abort", onAbort));
      }
    }
  }

  push(frame: WatchFrame): void {
    if (this.#ended) return;
    if (this.waiting - this.#initialLeft >= maxWaiting) return this.end();
    this.#queue.push(frame);
    this.#wakeReader();
  }

  /** Frames that the reader has not taken yet. */
  get waiting(): number {
    return this.#queue.length - this.#head;
  }

  /** Ends at once; what waits is lost. */
  end(): void {
    this.#queue = [];
    this.#head = 0;
    this.finish();
  }

  /** Ends after what waits. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const timer of this.#timers) timer.cancel();
    for (const cleanup of this.#cleanups) cleanup();
    this.#wakeReader();
  }

  onEnd(cleanup: () => void): void {
    if (this.#ended) cleanup();
    else this.#cleanups.push(cleanup);
  }

  [Symbol.asyncIterator](): AsyncIterator<WatchFrame> {
    return {
      next: async () => this.#next(),
      return: async () => {
        this.end();
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<WatchFrame>> {
    for (;;) {
      const frame = this.#queue[this.#head];
      if (frame !== undefined) {
        this.#take();
        return { done: false, value: frame };
      }
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #take(): void {
    this.#head++;
    if (this.#initialLeft > 0) this.#initialLeft--;
    if (this.#head < 1024 && this.#head < this.#queue.length) return;
    this.#queue = this.#queue.slice(this.#head);
    this.#head = 0;
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  #scheduleBookmark(): void {
    const { clock, random, bookmark } = this.#options;
    const leftMs = this.#endMs - clock.monotonicMs() - finalBookmarkMs;
    if (leftMs <= 0) return;
    // Up to a quarter later, so that the bookmarks of watches that began together drift apart.
    const delayMs = Math.min(leftMs, bookmarkPeriodMs * (1 + random.next() / 4));
    const timer = clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      if (this.#ended) return;
      bookmark?.();
      this.#scheduleBookmark();
    });
    this.#timers.add(timer);
  }
}
