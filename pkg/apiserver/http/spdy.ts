// SPDY/3.1 as far as kubectl needs it: streams that it opens, without windows and priorities.

import { createInflate, type Inflate } from "node:zlib";
import type { MessageStream } from "../../client/transport.ts";
import { ByteQueue } from "./byte-queue.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";

const HEAD_BYTES = 8;
const VERSION = 0x8003;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const FIN = 1;
/** More than clients send at once. */
const MOST_BYTES = 4 * 1024 * 1024;

/** What the client has opened. */
export interface SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  readonly incoming: AsyncIterable<Uint8Array>;
  send(data: Uint8Array): Promise<void>;
  /** Nothing more is sent. */
  end(): Promise<void>;
}

interface Frame {
  /** Of a control frame its type; undefined for data. */
  readonly type: number | undefined;
  readonly flags: number;
  /** Of data. */
  readonly stream: number;
  readonly payload: Buffer;
}

/** Serves a connection until the client ends it. */
export class SpdyConnection {
  readonly #wire: MessageStream;
  readonly #accept: (stream: SpdyStream) => void;
  readonly #incoming = new Map<number, ByteQueue>();
  readonly #headers = new HeaderReader();
  #hasReplied = false;

  constructor(wire: MessageStream, accept: (stream: SpdyStream) => void) {
    this.#wire = wire;
    this.#accept = accept;
  }

  async serve(): Promise<void> {
    try {
      for await (const frame of framesOf(this.#wire)) {
        if (frame.type === GOAWAY) return;
        await this.#take(frame);
      }
    } finally {
      for (const queue of this.#incoming.values()) queue.end();
      this.#headers.close();
    }
  }

  async #take({ type, flags, stream, payload }: Frame): Promise<void> {
    if (type === undefined) {
      const queue = this.#incoming.get(stream);
      await queue?.push(payload);
      if ((flags & FIN) !== 0) queue?.end();
    } else if (type === SYN_STREAM) await this.#open(payload, (flags & FIN) !== 0);
    else if (type === RST_STREAM) this.#incoming.get(idIn(payload))?.end();
    else if (type === PING) await this.#wire.send(controlFrame(PING, payload));
  }

  async #open(payload: Buffer, hasEnded: boolean): Promise<void> {
    const id = idIn(payload);
    const headers = await this.#headers.read(payload.subarray(10));
    const queue = new ByteQueue();
    if (hasEnded) queue.end();
    this.#incoming.set(id, queue);
    await this.#wire.send(
      controlFrame(SYN_REPLY, Buffer.concat([payload.subarray(0, 4), this.#noHeaders()])),
    );
    this.#accept({
      headers,
      incoming: queue,
      send: async (data) => (data.length === 0 ? undefined : this.#wire.send(dataFrame(id, 0, data))),
      end: async () => {
        this.#incoming.delete(id);
        queue.end();
        await this.#wire.send(dataFrame(id, FIN, Buffer.alloc(0)));
      },
    });
  }

  /** All replies are one stream of zlib, which says in the beginning what it is. They are not compressed. */
  #noHeaders(): Buffer {
    // Four bytes, the number of headers, and a block of nothing, at which Go hands over what it has read.
    const none = Buffer.from([0x00, 0x04, 0x00, 0xfb, 0xff, 0, 0, 0, 0, 0x00, 0x00, 0x00, 0xff, 0xff]);
    if (this.#hasReplied) return none;
    this.#hasReplied = true;
    const head = Buffer.from([0x78, 0xbb, 0, 0, 0, 0]);
    head.writeUInt32BE(checksum(spdyDictionary), 2);
    return Buffer.concat([head, none]);
  }
}

const idIn = (payload: Buffer): number => payload.readUInt32BE(0) & 0x7fffffff;

async function* framesOf(wire: MessageStream): AsyncGenerator<Frame, void> {
  let buffered = Buffer.alloc(0);
  for await (const message of wire.messages()) {
    buffered = buffered.length === 0 ? Buffer.from(message) : Buffer.concat([buffered, message]);
    while (buffered.length >= HEAD_BYTES) {
      const length = buffered.readUIntBE(5, 3);
      if (length > MOST_BYTES) throw new Error("a frame is too long");
      const end = HEAD_BYTES + length;
      if (buffered.length < end) break;
      const isControl = (buffered[0] ?? 0) >= 0x80;
      yield {
        type: isControl ? buffered.readUInt16BE(2) : undefined,
        flags: buffered[4] ?? 0,
        stream: isControl ? 0 : buffered.readUInt32BE(0),
        payload: buffered.subarray(HEAD_BYTES, end),
      };
      buffered = buffered.subarray(end);
    }
  }
}

function controlFrame(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

function dataFrame(stream: number, flags: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(stream, 0);
  head[4] = flags;
  head.writeUIntBE(data.length, 5, 3);
  return Buffer.concat([head, data]);
}

/** The headers of all streams are one stream of zlib. */
class HeaderReader {
  readonly #inflate: Inflate = createInflate({ dictionary: spdyDictionary });
  #out: Buffer[] = [];
  /** Of what is in it. */
  #length = 0;
  #failure: Error | undefined;
  #reject: (failure: Error) => void = () => undefined;

  constructor() {
    // It may come after the block has been taken, when nobody waits for it any more.
    this.#inflate.on("error", (failure) => this.#fail(failure));
    this.#inflate.on("data", (chunk: Buffer) => {
      this.#out.push(chunk);
      this.#length += chunk.length;
      if (this.#length > MOST_BYTES) this.#fail(new Error("headers are too long"));
    });
  }

  async read(block: Buffer): Promise<ReadonlyMap<string, string>> {
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      this.#inflate.write(block, () => {
        if (this.#failure === undefined) resolve();
        else reject(this.#failure);
      });
    });
    const bytes = Buffer.concat(this.#out);
    this.#out = [];
    this.#length = 0;
    return headersIn(bytes);
  }

  close(): void {
    this.#inflate.destroy();
  }

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#reject(this.#failure);
    this.close();
  }
}

function headersIn(bytes: Buffer): ReadonlyMap<string, string> {
  let at = 4;
  const text = (): string => {
    const end = at + 4 + bytes.readUInt32BE(at);
    const found = bytes.toString("utf8", at + 4, end);
    at = end;
    return found;
  };
  const headers = new Map<string, string>();
  for (let left = bytes.readUInt32BE(0); left > 0; left--) {
    const name = text();
    headers.set(name, text());
  }
  return headers;
}

/** Adler-32. */
function checksum(bytes: Buffer): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}
