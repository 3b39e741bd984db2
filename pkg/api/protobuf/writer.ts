import type { Int64 } from "../int64.ts";

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const BEGIN = 1024;

/**
 * Writes a message from its end to its beginning, as Go does: when the length of something nested is to be written, what it
 * is the length of is there already.
 */
export class Writer {
  #bytes = Buffer.allocUnsafe(BEGIN);
  #at = BEGIN;

  /** How many bytes have been written. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** What has been written. The writer is not to be used afterwards. */
  finish(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  doubleField(field: number, value: number): void {
    const at = this.#reserve(8);
    this.#bytes.writeDoubleLE(value, at);
    this.#varint(field * 8 + FIXED64);
  }

  /** What has been written since there were so many bytes is the value of this field. */
  nested(field: number, since: number): void {
    this.lengthField(field, this.length - since);
  }

  /** Before a value of so many bytes that is written elsewhere. */
  lengthField(field: number, length: number): void {
    this.#varint(length);
    this.#varint(field * 8 + BYTES);
  }

  textField(field: number, text: string): void {
    const length = Buffer.byteLength(text);
    const at = this.#reserve(length);
    this.#bytes.write(text, at, length, "utf8");
    this.lengthField(field, length);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.raw(bytes);
    this.lengthField(field, bytes.length);
  }

  integerField(field: number, value: Int64): void {
    if (typeof value === "number" && value >= 0 && Number.isSafeInteger(value)) this.#varint(value);
    else this.#long(BigInt.asUintN(64, BigInt(value)));
    this.#varint(field * 8 + VARINT);
  }

  #varint(value: number): void {
    let at = this.#reserve(sizeOf(value));
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[at++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[at] = rest;
  }

  #long(value: bigint): void {
    const bytes: number[] = [];
    for (let rest = value; rest > 0n; rest >>= 7n)
      bytes.push(Number(rest & 0x7fn) + (rest > 0x7fn ? 0x80 : 0));
    this.raw(Uint8Array.from(bytes.length === 0 ? [0] : bytes));
  }

  /** Where so many bytes are to be written. */
  #reserve(count: number): number {
    if (count > this.#at) this.#grow(count);
    this.#at -= count;
    return this.#at;
  }

  #grow(count: number): void {
    const larger = Buffer.allocUnsafe(2 * this.#bytes.length + count);
    const at = larger.length - this.length;
    this.#bytes.copy(larger, at, this.#at);
    this.#bytes = larger;
    this.#at = at;
  }
}

function sizeOf(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}
