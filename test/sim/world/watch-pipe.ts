import { TransportError } from "../../../pkg/client/transport.ts";
import type { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";

/** A line of a watch, as the server sends it. */
export interface Frame {
  readonly type: string;
  readonly object?: { readonly metadata?: { readonly resourceVersion?: string } };
}

export interface PipeOptions {
  readonly source: AsyncIterable<unknown>;
  readonly clock: VirtualClock;
  /** When a frame that leaves the server now arrives, on the clock. */
  readonly arrivalMs: () => number;
  /** Runs the callback on the machine of the reader, as soon as that can run. */
  readonly deliver: (callback: () => void) => void;
  /** The reader takes it from here. */
  readonly onTaken: (frame: Frame) => void;
}

/**
 * Carries the frames of one watch to its reader, each with a delay of its own, and never out of order. Breaks off when
 * told to: what is under way is lost then.
 */
export class WatchPipe implements AsyncIterable<Frame> {
  readonly #options: PipeOptions;
  readonly #source: AsyncIterator<unknown>;
  readonly #arrived: Frame[] = [];
  #lastArrivalMs = 0;
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;
  #isBroken = false;

  constructor(options: PipeOptions) {
    this.#options = options;
    this.#source = options.source[Symbol.asyncIterator]();
    void this.#pump();
  }

  /** The reader gives up. */
  abort(reason: unknown): void {
    this.break(true);
    this.#end ??= { error: reason };
    this.#wakeReader();
  }

  /** The connection is gone. The reader hears of it unless `silently`, as when it is gone itself. */
  break(silently = false): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    void this.#source.return?.();
    if (silently) return;
    this.#options.deliver(() => {
      this.#end ??= { error: new TransportError("lost", "the watch was cut off", true) };
      this.#wakeReader();
    });
  }

  [Symbol.asyncIterator](): AsyncIterator<Frame> {
    return {
      next: async () => this.#next(),
      return: async () => {
        this.break(true);
        return { done: true, value: undefined };
      },
    };
  }

  async #next(): Promise<IteratorResult<Frame>> {
    for (;;) {
      const frame = this.#arrived.shift();
      if (frame !== undefined) {
        this.#options.onTaken(frame);
        return { done: false, value: frame };
      }
      if (this.#end !== undefined) {
        if ("error" in this.#end) throw this.#end.error;
        return { done: true, value: undefined };
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async #pump(): Promise<void> {
    try {
      for (;;) {
        const result = await this.#source.next();
        if (this.#isBroken) return;
        if (result.done === true) {
          this.#later(() => (this.#end ??= {}));
          return;
        }
        const frame = result.value as Frame;
        this.#later(() => this.#arrived.push(frame));
      }
    } catch (error) {
      // What cannot be read is found out where it is read.
      this.#later(() => (this.#end ??= { error }));
    }
  }

  #later(arrive: () => void): void {
    const { clock, arrivalMs, deliver } = this.#options;
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, arrivalMs());
    clock.setTimer(this.#lastArrivalMs - clock.monotonicMs(), () => {
      if (this.#isBroken) return;
      arrive();
      deliver(() => this.#wakeReader());
    });
  }

  #wakeReader(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
