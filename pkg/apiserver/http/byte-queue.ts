const MOST_BYTES = 1024 * 1024;

/** What has arrived and is not read yet. Whoever fills it waits while it is full. */
export class ByteQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #hasEnded = false;
  #wake: () => void = () => undefined;
  #changed: Promise<undefined> = Promise.resolve(undefined);

  constructor() {
    this.#renew();
  }

  /** Resolves when there is room for more. */
  async push(chunk: Uint8Array): Promise<void> {
    if (this.#hasEnded) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#tell();
    while (this.#bytes > MOST_BYTES && !this.#hasEnded) await this.#changed;
  }

  end(): void {
    this.#hasEnded = true;
    this.#tell();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        this.#tell();
        yield chunk;
      } else if (this.#hasEnded) return;
      else await this.#changed;
    }
  }

  #tell(): void {
    this.#wake();
    this.#renew();
  }

  #renew(): void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#changed = promise;
    this.#wake = () => resolve(undefined);
  }
}
