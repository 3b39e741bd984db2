import { Worker } from "node:worker_threads";

export interface WireRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** The answer is a stream, and what counts of it ends with these words. */
  readonly until?: string;
}

export interface WireAnswer {
  readonly status: number;
  readonly length: number;
  /** Of the answer's text. */
  readonly beginning: string;
}

type Reply = { readonly id: number } & ({ readonly answer: WireAnswer } | { readonly failure: string });

/** Sends requests from another thread. */
export class ClientThread {
  readonly #worker = new Worker(new URL("client-worker.ts", import.meta.url));
  readonly #waiting = new Map<number, PromiseWithResolvers<WireAnswer>>();
  #next = 0;

  constructor() {
    this.#worker.on("message", (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("answer" in reply) waiting?.resolve(reply.answer);
      else waiting?.reject(new Error(reply.failure));
    });
  }

  async send(request: WireRequest): Promise<WireAnswer> {
    const id = this.#next++;
    const waiting = Promise.withResolvers<WireAnswer>();
    this.#waiting.set(id, waiting);
    this.#worker.postMessage({ id, request }, []);
    return waiting.promise;
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
