import { type Int64, toInt64 } from "../int64.ts";
import type { ByteCache } from "./byte-cache.ts";

/** The bytes do not follow the encoding of protobuf. */
export class ProtobufError extends Error {
  readonly code = "Protobuf";
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProtobufError";
  }
}

const VARINT = 0;
export const BYTES = 2;
const FIXED64 = 1;
const FIXED32 = 5;
/** Seven bits each; the tenth holds the last bit of 64. */
const MOST_BYTES = 10;
const LOW_BYTES = 4;
const LOW_RANGE = 2 ** 28;
const HIGH_RANGE = 2 ** 36;
/** In the cache, texts are texts whatever the field is. */
const TEXTS = {};

/**
 * Goes through bytes from field to field. It makes no object for a field: most fields of most messages are skipped.
 * Nested messages are read in place, by moving `end`.
 */
export class Reader {
  readonly bytes: Buffer;
  at: number;
  end: number;
  /** Of the field that `next` has come to. */
  wireType = VARINT;
  /** How many messages around this one are being read. */
  depth = 0;
  cache: ByteCache | undefined = undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.byteLength;
  }

  /** Number of the next field; 0 at the end of the message. */
  next(): number {
    if (this.at >= this.end) return 0;
    const tag = this.integer();
    this.wireType = tag & 7;
    return tag >>> 3;
  }

  /** A varint as a signed number of 64 bits; what is beyond 2^53 is not exact. */
  integer(): number {
    let low = 0;
    let high = 0;
    for (let index = 0; index < MOST_BYTES; index++) {
      if (this.at >= this.end) throw new ProtobufError("unexpected EOF");
      const byte = this.bytes[this.at++] ?? 0;
      if (index < LOW_BYTES) low |= (byte & 0x7f) << (7 * index);
      else high += (byte & 0x7f) * 2 ** (7 * (index - LOW_BYTES));
      if (byte >= 0x80) continue;
      if (index < LOW_BYTES) return low;
      // The tenth byte is there for negative numbers only.
      const signed = index === MOST_BYTES - 1 ? (high % HIGH_RANGE) - HIGH_RANGE : high;
      return signed * LOW_RANGE + low;
    }
    throw new ProtobufError("integer overflow");
  }

  /** Passes over a length and checks it: where the bytes of this field end. */
  enter(): number {
    if (this.wireType !== BYTES) throw new ProtobufError("wrong wireType");
    const length = this.integer();
    const end = this.at + length;
    if (length < 0 || end > this.end) throw new ProtobufError("unexpected EOF");
    return end;
  }

  /** Of a field whose values may come again, from the cache if there is one. */
  text(field?: { readonly unique: boolean }): string {
    const end = this.enter();
    const start = this.at;
    this.at = end;
    if (this.cache === undefined || field === undefined || field.unique) return textOf(this, start, end);
    return this.cache.value(TEXTS, this, start, textOf);
  }

  /** Shares its memory with the whole. */
  slice(): Buffer {
    const end = this.enter();
    const bytes = this.bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }

  number(): number {
    if (this.wireType !== VARINT) throw new ProtobufError("wrong wireType");
    return this.integer();
  }

  /** As `number`, but exact. */
  int64(): Int64 {
    const start = this.at;
    const near = this.number();
    if (Number.isSafeInteger(near)) return near;
    let exact = 0n;
    for (let at = start; at < this.at; at++) {
      exact |= BigInt((this.bytes[at] ?? 0) & 0x7f) << BigInt(7 * (at - start));
    }
    return toInt64(exact);
  }

  double(): number {
    const at = this.at;
    this.skip();
    if (this.wireType === FIXED64) return this.bytes.readDoubleLE(at);
    if (this.wireType === FIXED32) return this.bytes.readFloatLE(at);
    throw new ProtobufError("wrong wireType");
  }

  skip(): void {
    if (this.wireType === BYTES) {
      this.at = this.enter();
      return;
    }
    if (this.wireType === VARINT) {
      this.integer();
      return;
    }
    if (this.wireType !== FIXED64 && this.wireType !== FIXED32)
      throw new ProtobufError(`illegal wireType ${this.wireType}`);
    this.at += this.wireType === FIXED64 ? 8 : 4;
    if (this.at > this.end) throw new ProtobufError("unexpected EOF");
  }
}

function textOf({ bytes }: { readonly bytes: Buffer }, start: number, end: number): string {
  return bytes.toString("utf8", start, end);
}
