import { TransportError } from "../transport.ts";

/** How the bytes of a body are held back, let through and given up. */
export interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** More than this is not taken from the connection before somebody reads it. */
const MOST_HELD_BYTES = 256 * 1024;

/**
 * The body of an answer, read once, in one of three ways. It is no stream of Node.js: most bodies are small and arrive
 * whole, and all that is needed of them is an array of their parts.
 */
export class ResponseBody implements AsyncIterable<Buffer> {
  readonly #flow: Flow;
  #parts: Buffer[] = [];
  /** Of the parts, or of what was dropped. */
  #bytes = 0;
  #receivedBytes = 0;
  /** hold: for a reader that takes part by part; collect: until the end; drop: up to a limit, unread. */
  #mode: "hold" | "collect" | "drop" = "hold";
  #dropLimit = 0;
  #state: "open" | "ended" | "failed" = "open";
  #failure: unknown;
  /** The reader waits: for the next part, or for the end. */
  #wake: (() => void) | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** So far. */
  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  push(part: Buffer): void {
    if (this.#state !== "open") return;
    this.#receivedBytes += part.length;
    this.#bytes += part.length;
    if (this.#mode === "drop") {
      if (this.#bytes > this.#dropLimit) this.#giveUp();
      return;
    }
    this.#parts.push(part);
    if (this.#mode === "collect") return;
    if (this.#bytes >= MOST_HELD_BYTES) this.#flow.pause();
    this.#notify();
  }

  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ended";
    this.#notify();
  }

  fail(failure: unknown): void {
    if (this.#state !== "open") return;
    this.#state = "failed";
    this.#failure = failure;
    this.#parts = [];
    this.#notify();
  }

  async bytes(): Promise<Buffer> {
    this.#mode = "collect";
    await this.#untilEnd();
    const [first = Buffer.alloc(0)] = this.#parts;
    return this.#parts.length > 1 ? Buffer.concat(this.#parts, this.#bytes) : first;
  }

  /** Reads on to the end, or gives the body up once it is longer than `limitBytes`. */
  async discard(limitBytes: number): Promise<void> {
    this.#mode = "drop";
    this.#dropLimit = limitBytes;
    this.#parts = [];
    if (this.#state === "open" && this.#bytes > limitBytes) this.#giveUp();
    await this.#untilEnd();
  }

  /** Leaving the loop early gives up the rest. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (let parts = this.#take(); parts.length > 0 || this.#state === "open"; parts = this.#take()) {
        for (const part of parts) {
          this.#throwIfFailed();
          yield part;
        }
        if (parts.length === 0) await this.#changed();
      }
      this.#throwIfFailed();
    } finally {
      if (this.#state === "open") this.#giveUp();
    }
  }

  #take(): readonly Buffer[] {
    const parts = this.#parts;
    if (parts.length === 0) return parts;
    this.#parts = [];
    this.#bytes = 0;
    this.#flow.resume();
    return parts;
  }

  async #untilEnd(): Promise<void> {
    this.#flow.resume();
    if (this.#state === "open") await this.#changed();
    this.#throwIfFailed();
  }

  #throwIfFailed(): void {
    if (this.#state === "failed") throw this.#failure;
  }

  async #changed(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Nobody wants the rest: for the reader that is an end. */
  #giveUp(): void {
    this.end();
    this.#flow.abort(new TransportError("lost", "the rest of the answer was not wanted", true));
  }
}
