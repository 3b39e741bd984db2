import { JsonLines, parseDocument } from "../../pkg/client/http/json-lines.ts";
import { ListReader } from "../../pkg/client/http/list-reader.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../pkg/client/transport.ts";

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, text as it is, or the chunks of a stream. */
  readonly body?: unknown;
  readonly chunks?: Iterable<string> | AsyncIterable<string>;
}

type Answerer = (
  request: TransportRequest,
  signal: AbortSignal | undefined,
) => FakeAnswer | Promise<FakeAnswer>;

/** A Transport whose answers come from a function; it keeps the requests. */
export class FakeTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  closed = false;
  readonly #answer: Answerer;

  constructor(answer: Answerer) {
    this.#answer = answer;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    signal?.throwIfAborted();
    this.requests.push(request);
    return fakeResponse(await this.#answer(request, signal), signal);
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  /** "GET /api/v1/pods?limit=1" of each request. */
  get lines(): string[] {
    return this.requests.map(({ method, path, query }) =>
      query === undefined ? `${method} ${path}` : `${method} ${path}?${decodeURIComponent(query.toString())}`,
    );
  }
}

function fakeResponse(answer: FakeAnswer, signal: AbortSignal | undefined): TransportResponse {
  const isText = typeof answer.body === "string";
  const defaultType = isText ? "text/plain" : "application/json";
  const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body ?? {});
  async function* buffers(): AsyncGenerator<Buffer> {
    for await (const chunk of answer.chunks ?? [text]) {
      signal?.throwIfAborted();
      yield Buffer.from(chunk);
    }
  }
  return {
    status: answer.status ?? 200,
    headers: { "content-type": defaultType, ...answer.headers },
    receivedBytes: Buffer.byteLength(text),
    text: async () => text,
    json: async () => parseDocument(Buffer.from(text)),
    items: async (onItem) => {
      const reader = new ListReader(onItem);
      for await (const chunk of buffers()) reader.push(chunk);
      return reader.end();
    },
    async *documents() {
      const lines = new JsonLines();
      for await (const chunk of buffers()) yield* lines.push(chunk);
      yield* lines.end();
    },
    chunks: buffers,
    discard: async () => undefined,
  };
}

/** Never resolves; rejects with the signal's reason. */
export async function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  signal?.throwIfAborted();
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
