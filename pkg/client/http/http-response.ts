import type { IncomingHttpHeaders } from "node:http";
import { decodeProtobufObject, PROTOBUF_TYPE } from "../../api/protobuf/decode.ts";
import type { WantedFields } from "../../api/protobuf/message-plan.ts";
import { ProtobufError } from "../../api/protobuf/reader.ts";
import type { TransportResponse } from "../transport.ts";
import { TransportError } from "../transport.ts";
import type { Answer } from "./exchange.ts";
import { JsonLines, parseDocument } from "./json-lines.ts";
import { ListReader } from "./list-reader.ts";
import { ProtobufFrames } from "./protobuf-frames.ts";
import type { ResponseBody } from "./response-body.ts";

/** Bodies up to this size are read to their end when discarded, which costs less than giving up an HTTP/1.1 connection. */
const WORTH_READING_BYTES = 128 * 1024;

export class HttpResponse implements TransportResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly sentBytes: number;
  readonly #body: ResponseBody;

  constructor({ status, headers, body }: Answer, sentBytes: number) {
    this.status = status;
    this.headers = joinHeaders(headers);
    this.sentBytes = sentBytes;
    this.#body = body;
  }

  get receivedBytes(): number {
    return this.#body.receivedBytes;
  }

  async text(): Promise<string> {
    return (await this.#body.bytes()).toString("utf8");
  }

  async json(): Promise<unknown> {
    return this.#isProtobuf ? this.#protobuf() : parseDocument(await this.#body.bytes());
  }

  async items(onItem: (item: unknown) => void): Promise<unknown> {
    const reader = new ListReader(onItem);
    for await (const chunk of this.#body) reader.push(chunk);
    return reader.end();
  }

  async *documents(fields?: WantedFields): AsyncGenerator<unknown, void, undefined> {
    const documents = this.#isProtobuf ? new ProtobufFrames(fields) : new JsonLines();
    for await (const chunk of this.#body) {
      for (const document of documents.push(chunk)) yield document;
    }
    for (const document of documents.end()) yield document;
  }

  chunks(): AsyncIterable<Uint8Array> {
    return this.#body;
  }

  async discard(): Promise<void> {
    await this.#body.discard(WORTH_READING_BYTES);
  }

  get #isProtobuf(): boolean {
    return this.headers["content-type"]?.startsWith(PROTOBUF_TYPE) ?? false;
  }

  /** One object: the Status in which a server that was asked for protobuf says no. */
  async #protobuf(): Promise<unknown> {
    const bytes = await this.#body.bytes();
    try {
      return decodeProtobufObject(bytes);
    } catch (failure) {
      if (!(failure instanceof ProtobufError)) throw failure;
      throw new TransportError("malformed", `broken protobuf of ${bytes.length} bytes`, true, failure);
    }
  }
}

/** Hardly an answer repeats a header: as a rule they are taken as they are. */
function joinHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return areTexts(headers) ? headers : joined(headers);
}

function areTexts(headers: IncomingHttpHeaders): headers is Record<string, string> {
  for (const name in headers) if (typeof headers[name] !== "string") return false;
  return true;
}

function joined(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}
