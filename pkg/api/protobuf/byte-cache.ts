const LONGEST = 512;
const SLOTS = 8_192;
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

interface Slot {
  readonly use: object;
  /** A character for each byte: a copy of the bytes that pins no buffer. */
  readonly bytes: string;
  readonly value: unknown;
}

interface Source {
  readonly bytes: Buffer;
  readonly at: number;
}

/**
 * What bytes were decoded to, for bytes that come again and again: labels, owners, times, phases. Whoever finds them
 * here has decoded nothing, and shares the memory of the value, which therefore nobody may change.
 * Bytes with the same hash push each other out: it is never larger than its slots, and needs no bookkeeping.
 */
export class ByteCache {
  readonly #slots: (Slot | undefined)[] = Array.from({ length: SLOTS });

  /**
   * The value of the bytes from `start` to where the source has come: one that was decoded before for the same use, or
   * what `decode` gives. It is called with what it needs, so that no function has to be made for each value.
   */
  value<U extends object, S extends Source, T>(
    use: U,
    source: S,
    start: number,
    decode: (source: S, start: number, end: number, use: U) => T,
  ): T {
    const { bytes, at: end } = source;
    if (end - start > LONGEST) return decode(source, start, end, use);
    let hash = FNV_START;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), FNV_PRIME);
    const index = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const slot = this.#slots[index];
    if (slot !== undefined && slot.use === use && isEqual(slot.bytes, bytes, start, end))
      return slot.value as T;
    const value = decode(source, start, end, use);
    const known = bytes.toString("latin1", start, end);
    // A text of plain letters is its own copy.
    this.#slots[index] = { use, bytes: typeof value === "string" && value === known ? value : known, value };
    return value;
  }
}

function isEqual(known: string, bytes: Buffer, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let at = 0; at < known.length; at++) if (known.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
