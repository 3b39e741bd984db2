import type { WantedFields } from "../api/protobuf/message-plan.ts";

/**
 * The seam under every client. Over the network it is an undici dispatcher (http/), in tests and in the simulator
 * it is the embedded API server called directly, with or without faults.
 */
export interface Transport {
  /**
   * Resolves once status and headers are known; any status is an answer, not an error. Rejects with a
   * TransportError when no answer came, or with the signal's reason when that aborted.
   */
  send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse>;
  /**
   * Opens a connection of its own that carries messages both ways, in the first of the protocols that the server knows;
   * or says why the server would not. Left out where there are no connections.
   */
  upgrade?(request: UpgradeRequest, signal?: AbortSignal): Promise<MessageStream | UpgradeRefusal>;
  /** Ends idle connections now and busy ones when they are done. Further sends reject. */
  close(): Promise<void>;
}

export interface UpgradeRequest extends Pick<TransportRequest, "path" | "query" | "headers" | "beforeSend"> {
  readonly protocols: readonly string[];
}

/** Messages both ways, as a WebSocket carries them. */
export interface MessageStream {
  /** The one that the server has chosen. */
  readonly protocol: string;
  /** Whole messages, until the other side says good-bye or the connection ends. */
  messages(): AsyncIterable<Uint8Array>;
  /** Resolves when there is room for more. */
  send(message: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The answer of a server that goes on as before. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS";

export interface TransportRequest {
  readonly method: Method;
  /** Absolute path, already percent-encoded, without the query. */
  readonly path: string;
  readonly query?: URLSearchParams;
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, which the transport serialises; or bytes or text, which it sends as they are. */
  readonly body?: unknown;
  /** A watch or another answer without an end: no idle time-out applies to its body. */
  readonly endless?: boolean;
  /** Called when the request is about to leave, after every wait. What it throws refuses the request, and is passed on. */
  readonly beforeSend?: () => void;
}

/** The body is read once, by one of these methods, or discarded. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; repeated headers are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the request's body; left out where nothing was serialised. */
  readonly sentBytes?: number;
  /** Bytes of the body read so far; left out where nothing is serialised. */
  readonly receivedBytes?: number;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /**
   * The items of a List one by one, without ever holding the whole text; resolves to the List without its items.
   */
  items(onItem: (item: unknown) => void): Promise<unknown>;
  /**
   * The documents of a stream, as they arrive: JSON in lines, or events of a watch in protobuf, of whose objects only
   * `fields` are read where they are given. In place of a document that cannot be read stands the TransportError that
   * says so; others may follow it. Leaving the loop early closes the stream.
   */
  documents(fields?: WantedFields): AsyncIterable<unknown>;
  /** The bytes as they arrive. Leaving the loop early closes the stream. */
  chunks(): AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

/**
 * Why no answer came. `refused`: no connection (refused, unreachable, unknown host). `tls`: the hand-shake failed.
 * `lost`: a connection broke under the request. `timeout`: the peer was silent for too long. `malformed`: an answer came
 * that is not what was asked for (broken JSON, an object of another kind). `closed`: the transport was closed.
 * `credentials`: no credentials could be had to ask with.
 */
export type TransportFailure =
  | "refused"
  | "tls"
  | "lost"
  | "timeout"
  | "malformed"
  | "closed"
  | "credentials";

/** No (complete) answer came. `sent` is false when the server cannot have acted on the request. */
export class TransportError extends Error {
  readonly code: TransportFailure;
  readonly sent: boolean;
  constructor(code: TransportFailure, message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = "TransportError";
    this.code = code;
    this.sent = sent;
  }
}
