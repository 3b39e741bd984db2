/** A certificate that is not built as it should be. */
export class CertificateError extends Error {
  readonly code = "Certificate";
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "CertificateError";
  }
}

/** One element of DER (ITU-T X.690). */
export interface Element {
  /** The first byte; with the number in the bytes above it where that has bytes of its own. */
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly raw: Buffer;
}

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OBJECT_IDENTIFIER = 0x06;
export const SEQUENCE = 0x30;
export const SET = 0x31;

/** A field that is known by its number; `constructed` when it holds others. */
export function field(number: number, constructed: boolean): number {
  return 0x80 | (constructed ? 0x20 : 0) | number;
}

/** The elements one after another, which must fill the bytes. Throws a CertificateError. */
export function elementsOf(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  const reader = new ElementReader(bytes);
  while (!reader.isAtEnd) found.push(shortTag(reader.next()));
  return found;
}

/** The one element that the bytes are, which must have this tag. */
export function only(bytes: Buffer, tag: number): Element {
  const [first, ...others] = elementsOf(bytes);
  if (first?.tag !== tag || others.length > 0) throw malformed();
  return first;
}

export function malformed(): CertificateError {
  return new CertificateError("a certificate is malformed");
}

/** Of certificates no part has a tag of several bytes. */
export function shortTag(element: Element): Element {
  if (element.tag > 0xff) throw malformed();
  return element;
}

/** Elements in their order. What follows the last one that is asked for is not looked at. */
export class ElementReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next element, which must have this tag. */
  read(tag: number): Element {
    const element = this.next();
    if (element.tag !== tag) throw malformed();
    return element;
  }

  /** The next element if it has this tag. */
  readIf(tag: number): Element | undefined {
    return this.#bytes[this.#at] === tag ? this.next() : undefined;
  }

  next(): Element {
    const start = this.#at;
    const tag = this.#tag();
    const length = this.#length();
    const from = this.#at;
    if (from + length > this.#bytes.length) throw malformed();
    this.#at = from + length;
    return {
      tag,
      content: this.#bytes.subarray(from, this.#at),
      raw: this.#bytes.subarray(start, this.#at),
    };
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw malformed();
    this.#at++;
    return byte;
  }

  #tag(): number {
    const first = this.#byte();
    if ((first & 0x1f) !== 0x1f) return first;
    const [number, next] = base128(this.#bytes, this.#at);
    if (number < 0x1f) throw malformed();
    this.#at = next;
    return number * 0x100 + first;
  }

  /** In as few bytes as it takes: DER knows one form of each length, and none of elements without end. */
  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const count = first & 0x7f;
    if (count === 0 || count > 4) throw malformed();
    let length = 0;
    for (let index = 0; index < count; index++) {
      length = length * 0x100 + this.#byte();
      if (length === 0) throw malformed();
    }
    if (length < 0x80 || length > MOST_BYTES) throw malformed();
    return length;
  }
}

const MOST_BYTES = 2 ** 31 - 1;

/** Throws for what is no object identifier. */
export function checkObjectIdentifier(content: Buffer): void {
  if (content.length === 0) throw malformed();
  for (let at = 0; at < content.length;) [, at] = base128(content, at);
}

/** A number of seven bits a byte, of at most 31 bits, in as few bytes as it takes; and where it ends. */
function base128(bytes: Buffer, start: number): readonly [number: number, next: number] {
  let number = 0;
  for (let at = start; at < start + 5; at++) {
    const byte = bytes[at];
    if (byte === undefined || (at === start && byte === 0x80)) throw malformed();
    number = number * 0x80 + (byte & 0x7f);
    if (byte < 0x80) {
      if (number > MOST_BYTES) throw malformed();
      return [number, at + 1];
    }
  }
  throw malformed();
}
