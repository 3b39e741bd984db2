import { crc32 } from "node:zlib";

/**
 * A record is a header of 12 bytes and a text: the text's length, the checksum of that length, the checksum of the
 * text. The length has a checksum of its own, so that a flipped bit in it is not mistaken for a torn end.
 */
const headerLength = 12;

export function encodeRecord(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const record = Buffer.allocUnsafe(headerLength + length);
  record.writeUInt32LE(length, 0);
  record.writeUInt32LE(crc32(record.subarray(0, 4)), 4);
  record.write(text, headerLength);
  record.writeUInt32LE(crc32(record.subarray(headerLength)), 8);
  return record;
}

/** A file that does not hold what was written to it. */
export class CorruptRecordError extends Error {
  readonly code = "Corrupt";
  readonly offset: number;
  constructor(offset: number, why: string) {
    super(`${why} at byte ${offset}`);
    this.name = "CorruptRecordError";
    this.offset = offset;
  }
}

export interface RecordsRead {
  readonly texts: readonly string[];
  /** Where the last whole record ends: what follows was being written when the process ended. */
  readonly end: number;
}

/** Reads records up to a torn end; throws a CorruptRecordError where a whole record does not add up. */
export function readRecords(bytes: Uint8Array): RecordsRead {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const texts: string[] = [];
  let at = 0;
  while (at < buffer.length) {
    const left = buffer.length - at;
    if (left < headerLength) break;
    const length = buffer.readUInt32LE(at);
    if (crc32(buffer.subarray(at, at + 4)) !== buffer.readUInt32LE(at + 4)) {
      // Space that was allotted and never written to is torn, not corrupt.
      if (buffer.subarray(at).every((byte) => byte === 0)) break;
      throw new CorruptRecordError(at, "header checksum mismatch");
    }
    if (left < headerLength + length) break;
    const text = buffer.subarray(at + headerLength, at + headerLength + length);
    if (crc32(text) !== buffer.readUInt32LE(at + 8)) throw new CorruptRecordError(at, "checksum mismatch");
    texts.push(text.toString());
    at += headerLength + length;
  }
  return { texts, end: at };
}
