import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Clock } from "../../clock/clock.ts";
import { failureOf } from "./failure.ts";
import { ResponseBody } from "./response-body.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: ResponseBody;
}

/**
 * One request and its answer, as undici's lowest level tells of them. Its `request` would do the same with a stream, a
 * resource of async_hooks and an AbortController for each, which cost more than all of this client.
 *
 * An abort reaches undici a turn of the event loop later: an HTTP/2 request that is aborted in the very turn in which it
 * was dispatched hangs the session and fills the memory (undici 8.12).
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<Answer>;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #onEnd: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #resolve: (answer: Answer) => void = () => undefined;
  #reject: (failure: unknown) => void = () => undefined;
  #body: ResponseBody | undefined;
  #abortReason: Error | undefined;
  #hasEnded = false;

  /** `onEnd` is called once, when no more bytes will come. */
  constructor(clock: Clock, signal: AbortSignal | undefined, onEnd: () => void) {
    this.#clock = clock;
    this.#signal = signal;
    this.#onEnd = onEnd;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Called again for a request that undici repeats after a GOAWAY. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#abortReason !== undefined) controller.abort(this.#abortReason);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.#body = new ResponseBody(controller);
    this.#resolve({ status, headers, body: this.#body });
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    this.#body?.push(part);
  }

  onResponseEnd(): void {
    this.#end();
    this.#body?.end();
  }

  onResponseError(_: Dispatcher.DispatchController | null, failure: Error): void {
    this.#end();
    const told = failureOf(failure, this.#signal);
    if (this.#body === undefined) this.#reject(told);
    else this.#body.fail(told);
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#onEnd();
  }

  readonly #onAbort = (): void => {
    void this.#clock.turn().then(() => {
      const reason = this.#signal?.reason as Error;
      this.#abortReason = reason;
      if (!this.#hasEnded) this.#controller?.abort(reason);
    });
  };
}
