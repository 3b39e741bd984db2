import { PassThrough } from "node:stream";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { silentLogger } from "../../log/logger.ts";
import { noMetrics } from "../../metrics/metrics.ts";
import { clientBuilder, sharedTransports } from "../client-builder.ts";
import type { ClientSet } from "../client-set.ts";
import type { MessageStream, Transport, UpgradeRequest } from "../transport.ts";

export function clientsOver(transport: Partial<Transport>): ClientSet {
  const send: Transport["send"] = async ({ path }) => Promise.reject(new Error(`nobody answers at ${path}`));
  const transports = sharedTransports({ send, close: async () => undefined, ...transport });
  const parts = {
    clock: new VirtualClock(),
    log: silentLogger,
    metrics: noMetrics,
    host: "h",
    userAgent: "test",
  };
  return clientBuilder({ ...parts, transports, qps: -1, burst: 1 }).client("test");
}

/** The far end of a session: what it hears, and what it says. */
export class FarEnd implements MessageStream {
  readonly protocol = "v4.channel.k8s.io";
  readonly path: string;
  readonly heard: Buffer[] = [];
  readonly #says = new PassThrough({ readableObjectMode: true, writableObjectMode: true });
  readonly #gone = Promise.withResolvers<void>();
  isClosed = false;

  constructor({ path, query }: UpgradeRequest) {
    this.path = query === undefined ? path : `${path}?${query.toString()}`;
  }

  say(channel: number, data: Uint8Array | string): void {
    this.#says.write(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]));
  }

  end(): void {
    this.#says.end();
  }

  fail(error: Error): void {
    this.#says.destroy(error);
  }

  /** When nobody reads any more what it says. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  async *messages(): AsyncGenerator<Buffer> {
    try {
      yield* this.#says as AsyncIterable<Buffer>;
    } finally {
      this.#gone.resolve();
    }
  }

  async send(message: Uint8Array): Promise<void> {
    if (!this.isClosed) this.heard.push(Buffer.from(message));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.end();
  }
}
