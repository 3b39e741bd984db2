/** What a cloud keeps under a name. */
export interface CloudBucket {
  readonly name: string;
  readonly region: string;
}

/** A cloud that takes its time and fails now and then: what it was asked for may have happened all the same. */
export class FakeCloud {
  readonly buckets = new Map<string, CloudBucket>();
  /** How many of the next requests fail, after they have had their effect. */
  failing = 0;
  readonly #listeners = new Set<(name: string) => void>();

  async create(bucket: CloudBucket): Promise<void> {
    if (!this.buckets.has(bucket.name)) this.buckets.set(bucket.name, bucket);
    this.#answer();
  }

  /** Deleting what is not there is no error. */
  async delete(name: string): Promise<void> {
    this.buckets.delete(name);
    this.#answer();
  }

  async find(name: string): Promise<CloudBucket | undefined> {
    return this.buckets.get(name);
  }

  /** Somebody else deletes it, by hand. */
  lose(name: string): void {
    this.buckets.delete(name);
    for (const tell of this.#listeners) tell(name);
  }

  /** Names of the buckets that others have changed, from now on. */
  async *changes(signal: AbortSignal): AsyncIterable<string> {
    const changed: string[] = [];
    let wake = (): void => undefined;
    const tell = (name: string): void => {
      changed.push(name);
      wake();
    };
    const onAbort = (): void => wake();
    this.#listeners.add(tell);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      while (!signal.aborted) {
        yield* changed.splice(0);
        if (changed.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#listeners.delete(tell);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #answer(): void {
    if (this.failing === 0) return;
    this.failing--;
    throw new Error("the cloud did not answer");
  }
}
