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

/** A field that is known by its number; `constructed` when it holds others. */
export function field(number: number, constructed: boolean): number {
  return 0x80 | (constructed ? 0x20 : 0) | number;
}

/** The elements one after another, which must fill the bytes. Throws a CertificateError. */
export function elementsOf(bytes: Buffer): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const element = elementAt(bytes, at);
    found.push(element);
    at += element.raw.length;
  }
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

function elementAt(bytes: Buffer, at: number): Element {
  if (at + 2 > bytes.length) throw malformed();
  const tag = bytes.readUInt8(at);
  const first = bytes.readUInt8(at + 1);
  // Above 127 the byte tells how many bytes of length follow. DER has no elements of unknown length (128).
  const more = first > 0x7f ? first & 0x7f : 0;
  if (first === 0x80 || more > 4 || at + 2 + more > bytes.length) throw malformed();
  const start = at + 2 + more;
  const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
  if (start + length > bytes.length) throw malformed();
  return { tag, content: bytes.subarray(start, start + length), raw: bytes.subarray(at, start + length) };
}
