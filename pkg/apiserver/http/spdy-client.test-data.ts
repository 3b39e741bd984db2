import { constants, createDeflate, createInflate, type Deflate, type Inflate } from "node:zlib";
import { expect } from "vitest";
import type { MessageStream } from "../../client/transport.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";

export const SYN_STREAM = 1;
export const SYN_REPLY = 2;
export const RST_STREAM = 3;
export const PING = 6;
export const GOAWAY = 7;
export const FIN = 1;

export interface Frame {
  /** Of a control frame its type, of another its stream. */
  readonly head: number;
  readonly flags: number;
  readonly payload: Buffer;
}

export const number = (value: number): Buffer => Buffer.from([value >>> 24, value >> 16, value >> 8, value]);

export function control(type: number, payload: Buffer, flags = 0): Buffer {
  const head = Buffer.from([0x80, 3, 0, type, flags, 0, 0, 0]);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

export function data(stream: number, text: string, flags = 0): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, stream, flags, 0, 0, text.length]), Buffer.from(text)]);
}

/** The client's side of a connection, frame by frame. */
export class SpdyClient {
  readonly #wire: MessageStream;
  /** The headers of all streams are one stream of zlib, in each direction. */
  readonly #deflate: Deflate = createDeflate({ dictionary: spdyDictionary });
  readonly #inflate: Inflate = createInflate({ dictionary: spdyDictionary });

  constructor(wire: MessageStream) {
    this.#wire = wire;
  }

  async send(...frames: readonly Buffer[]): Promise<void> {
    await this.#wire.send(Buffer.concat(frames));
  }

  async opening(id: number, headers: Readonly<Record<string, string>>, flags = 0): Promise<Buffer> {
    const texts = Object.entries(headers)
      .flat()
      .map((text) => Buffer.concat([number(text.length), Buffer.from(text)]));
    const block = Buffer.concat([number(Object.keys(headers).length), ...texts]);
    const packed = await through(this.#deflate, block);
    return control(SYN_STREAM, Buffer.concat([number(id), number(0), Buffer.from([0, 0]), packed]), flags);
  }

  async answer(): Promise<Frame> {
    for await (const message of this.#wire.messages()) {
      const frame = Buffer.from(message);
      expect(frame.readUIntBE(5, 3)).toBe(frame.length - 8);
      const isControl = frame.readUInt16BE(0) === 0x8003;
      return {
        head: isControl ? frame.readUInt16BE(2) : frame.readUInt32BE(0),
        flags: frame[4] ?? 0,
        payload: frame.subarray(8),
      };
    }
    throw new Error("the connection has ended");
  }

  /** The answer to an opened stream, which has no headers. */
  async opened(id: number): Promise<void> {
    const { head, flags, payload } = await this.answer();
    expect([head, flags, payload.readUInt32BE(0)]).toEqual([SYN_REPLY, 0, id]);
    expect(await through(this.#inflate, payload.subarray(4))).toEqual(number(0));
  }

  async close(): Promise<void> {
    await this.#wire.close();
    this.#deflate.destroy();
    this.#inflate.destroy();
  }
}

/** What a codec makes of these bytes, at once. */
async function through(codec: Deflate | Inflate, bytes: Buffer): Promise<Buffer> {
  const out: Buffer[] = [];
  const keep = (chunk: Buffer): void => void out.push(chunk);
  codec.on("data", keep);
  await new Promise<void>((resolve) => codec.write(bytes, () => resolve()));
  await new Promise<void>((resolve) => codec.flush(constants.Z_SYNC_FLUSH, () => resolve()));
  codec.off("data", keep);
  return Buffer.concat(out);
}
