import type { Clock } from "../../pkg/clock/clock.ts";
import { sleep } from "../../pkg/clock/wait.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../pkg/client/transport.ts";

/** Requests take their time on the way there and back, as over a network. */
export class DistantTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #oneWayMs: number;

  constructor(inner: Transport, clock: Clock, oneWayMs: number) {
    this.#inner = inner;
    this.#clock = clock;
    this.#oneWayMs = oneWayMs;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    await sleep(this.#clock, this.#oneWayMs, signal);
    const response = await this.#inner.send(request, signal);
    await sleep(this.#clock, this.#oneWayMs, signal);
    return response;
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
